// Threads, locks, time and symbols of POSIX, for threads.c.

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

typedef pthread_t uk_thread;
typedef pthread_mutex_t uk_mutex;
typedef pthread_cond_t uk_condition;
#define UK_MUTEX PTHREAD_MUTEX_INITIALIZER
#define UK_CONDITION PTHREAD_COND_INITIALIZER

static void uk_acquire(uk_mutex *mutex) { pthread_mutex_lock(mutex); }
static void uk_release(uk_mutex *mutex) { pthread_mutex_unlock(mutex); }
// Gives up the mutex while it waits.
static void uk_wait(uk_condition *condition, uk_mutex *mutex) { pthread_cond_wait(condition, mutex); }
static void uk_wake_one(uk_condition *condition) { pthread_cond_signal(condition); }
static void uk_wake_all(uk_condition *condition) { pthread_cond_broadcast(condition); }

static void *uk_run_thread(void *start) {
  uk_begin_helping(start);
  return NULL;
}

// Starts uk_begin_helping(argument). False: there is no room for a thread.
static bool uk_start_thread(uk_thread *thread, void *argument) {
  return pthread_create(thread, NULL, uk_run_thread, argument) == 0 && pthread_detach(*thread) == 0;
}

static long long uk_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// The core that the caller runs on, or -1.
static int uk_this_core(void) {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

// Lets a thread run on all cores that the caller may have but this one. False: that leaves none, or the system refuses.
static bool uk_keep_off(uk_thread thread, int core) {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return false;
  CPU_CLR(core, &cores);
  return CPU_COUNT(&cores) > 0 && pthread_setaffinity_np(thread, sizeof cores, &cores) == 0;
#else
  (void)thread;
  (void)core;
  return false;
#endif
}

// Returns the function by which the first addon of the process shares loops; NULL: this addon becomes the first, makes its function visible to
// later ones, and stays loaded for as long as the process lives, as its threads run its code.
static uk_share *uk_share_of_first(uk_share *here) {
  Dl_info own, others;
  void *found = dlsym(RTLD_DEFAULT, "uk_share_1");
  if (!dladdr((void *)here, &own)) return NULL;
  if (found && dladdr(found, &others) && others.dli_fbase != own.dli_fbase) return (uk_share *)found;
  dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE | RTLD_GLOBAL);
  return NULL;
}
