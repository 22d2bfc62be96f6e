// The program of the emulated machine: runs each kernel of two tables, the fast ones first, then stops in the debugger,
// which writes the memory to a file. No libraries.

#include "guest.h"
#include "kernel-table.h"

extern const struct uk_kernel uk_fast[] __attribute__((weak)), uk_strict[] __attribute__((weak));
extern const size_t uk_fast_count __attribute__((weak)), uk_strict_count __attribute__((weak));

unsigned long uk_step_call(void (*run)(void *const *, void *), void *const *args, void *workspace);

static struct uk_data *const data = (struct uk_data *)UK_DATA;

static void load_tables(unsigned long tables) { __asm__ volatile("mov %0, %%cr3" : : "r"(tables) : "memory"); }

// A dot for each kernel that begins, on the emulator's standard output: who waits sees where it hangs.
static void show_progress(void) { __asm__ volatile("outb %b0, %w1" : : "a"('.'), "d"(0xe9)); }

static void run(const struct uk_kernel *kernel, struct uk_call *call) {
  static const struct uk_trap returned = {UK_RETURNED};
  show_progress();
  call->end = uk_step_call(kernel->run, call->args, call->workspace) ? data->trap : returned;
}

// From here on only what a kernel may touch is mapped, until all have run.
void guest(void) {
  const size_t fast = &uk_fast_count ? uk_fast_count : 0;
  load_tables(data->guarded_tables);
  for (size_t at = 0; at < data->count; at++)
    run(at < fast ? &uk_fast[at] : &uk_strict[at - fast], &data->calls[at]);
  load_tables(data->plain_tables);
  __asm__ volatile("xchg %bx, %bx");
}

// gcc calls these three for copies and initial values.

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  void *const start = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
  return start;
}

void *memmove(void *to, const void *from, size_t count) {
  if ((size_t)to - (size_t)from >= count) return memcpy(to, from, count);
  char *last = (char *)to + count - 1;
  const char *last_from = (const char *)from + count - 1;
  __asm__ volatile("std; rep movsb; cld" : "+D"(last), "+S"(last_from), "+c"(count) : : "memory");
  return to;
}

void *memset(void *to, int byte, size_t count) {
  void *const start = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(byte) : "memory");
  return start;
}
