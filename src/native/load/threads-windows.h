// Threads, locks, time and symbols of Windows, for threads.c.

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#define PSAPI_VERSION 2
#include <psapi.h>

typedef HANDLE uk_thread;
typedef SRWLOCK uk_mutex;
typedef CONDITION_VARIABLE uk_condition;
#define UK_MUTEX SRWLOCK_INIT
#define UK_CONDITION CONDITION_VARIABLE_INIT

static void uk_acquire(uk_mutex *mutex) { AcquireSRWLockExclusive(mutex); }
static void uk_release(uk_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }
// Gives up the mutex while it waits.
static void uk_wait(uk_condition *condition, uk_mutex *mutex) { SleepConditionVariableSRW(condition, mutex, INFINITE, 0); }
static void uk_wake_one(uk_condition *condition) { WakeConditionVariable(condition); }
static void uk_wake_all(uk_condition *condition) { WakeAllConditionVariable(condition); }

static DWORD WINAPI uk_run_thread(void *start) {
  uk_begin_helping(start);
  return 0;
}

// Starts uk_begin_helping(argument). False: there is no room for a thread.
static bool uk_start_thread(uk_thread *thread, void *argument) {
  *thread = CreateThread(NULL, 0, uk_run_thread, argument, 0, NULL);
  return *thread && CloseHandle(*thread);
}

static long long uk_clock_ns(void) {
  LARGE_INTEGER now, second;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&second);
  const long long whole = now.QuadPart / second.QuadPart, rest = now.QuadPart % second.QuadPart;
  return whole * 1000000000LL + rest * 1000000000LL / second.QuadPart;
}

// Windows moves a thread that wakes up on a busy core by itself.
static int uk_this_core(void) { return -1; }
static bool uk_keep_off(uk_thread thread, int core) {
  (void)thread;
  (void)core;
  return false;
}

// The module that a function lies in, which from now on stays loaded for as long as the process lives.
static HMODULE uk_module_of(void *function) {
  HMODULE module = NULL;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, function, &module);
  return module;
}

// Returns the function by which the first addon of the process shares loops; NULL: it is this one. Modules are listed in the order in which
// they were loaded.
static uk_share *uk_share_of_first(uk_share *here) {
  HMODULE modules[384];
  DWORD bytes = 0;
  const HMODULE own = uk_module_of((void *)here);
  if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes)) return NULL;
  const size_t count = (bytes < sizeof modules ? bytes : sizeof modules) / sizeof *modules;
  for (size_t at = 0; at < count && modules[at] != own; at++) {
    void *found = (void *)GetProcAddress(modules[at], "uk_share_1");
    if (found && uk_module_of(found)) return (uk_share *)found;
  }
  return NULL;
}
