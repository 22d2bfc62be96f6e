// The threads that all kernels of a process share. The first addon that needs them owns them and lends them to the others,
// from all bundles and workers. Part of addon.c.
//
// The caller of a kernel works on its parts too, and never waits for a thread to come. So any number of callers, in any
// threads, is safe: at worst each does its work alone.

#include <stdatomic.h>

// Where a thread starts that helps callers. It never returns.
static void uk_begin_helping(void *self);

#ifdef _WIN32
#include "threads-windows.h"
#else
#include "threads-posix.h"
#endif

// One call that shares a loop. It lives on its caller's stack.
struct uk_loop {
  uk_part *run;
  void *context;
  long parts, slots;
  // The next part that no thread has begun.
  atomic_long next;
  // Threads that are at work beside the caller.
  atomic_long helpers;
  // Slots that were given away. Guarded by the lock, as is `following`.
  long taken;
  struct uk_loop *following;
};

// A thread that helps callers.
struct uk_helper {
  uk_thread thread;
  bool is_asleep;
  // The core that it does not run on, or -1.
  int off;
};

enum { UK_MOST_HELPERS = 255 };

static uk_mutex uk_lock = UK_MUTEX;
static uk_condition uk_comes = UK_CONDITION, uk_leaves = UK_CONDITION;
// Guarded by the lock.
static struct uk_loop *uk_loops;
static struct uk_helper uk_helpers[UK_MOST_HELPERS];
static long uk_threads;
// Number of loops so far: by it an idle thread sees a new loop without the lock.
static atomic_long uk_arrivals;

// A waiting thread spins this long before it sleeps. In most programs another loop follows soon, and waking a thread
// takes as long as a small kernel.
enum { UK_SPIN_NS = 50000 };

static inline void uk_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Spins until the value changes, for at most UK_SPIN_NS.
static void uk_spin_while(atomic_long *value, long is) {
  const long long end = uk_clock_ns() + UK_SPIN_NS;
  while (atomic_load(value) == is && uk_clock_ns() < end)
    for (int step = 0; step < 16; step++) uk_relax();
}

static void uk_work_on(struct uk_loop *loop, long slot) {
  for (long part; (part = atomic_fetch_add(&loop->next, 1)) < loop->parts;) loop->run(loop->context, part, slot);
}

// Returns a loop with parts and a slot left, or NULL.
static struct uk_loop *uk_open_loop(void) {
  for (struct uk_loop *loop = uk_loops; loop; loop = loop->following)
    if (loop->taken < loop->slots && atomic_load(&loop->next) < loop->parts) return loop;
  return NULL;
}

// Waits for a loop to help with. Called with the lock, which it gives up while it waits.
static struct uk_loop *uk_wait_for_loop(struct uk_helper *self) {
  struct uk_loop *loop = uk_open_loop();
  if (loop) return loop;
  const long seen = atomic_load(&uk_arrivals);
  uk_release(&uk_lock);
  uk_spin_while(&uk_arrivals, seen);
  uk_acquire(&uk_lock);
  self->is_asleep = true;
  while (!(loop = uk_open_loop())) uk_wait(&uk_comes, &uk_lock);
  self->is_asleep = false;
  return loop;
}

static void uk_begin_helping(void *self) {
  uk_acquire(&uk_lock);
  for (;;) {
    struct uk_loop *loop = uk_wait_for_loop(self);
    const long slot = loop->taken++;
    atomic_fetch_add(&loop->helpers, 1);
    uk_release(&uk_lock);
    uk_work_on(loop, slot);
    uk_acquire(&uk_lock);
    // The caller may return, and its stack go, as soon as it sees that no helper is left.
    if (atomic_fetch_sub(&loop->helpers, 1) == 1) uk_wake_all(&uk_leaves);
  }
}

// Starts threads, as many as are wanted in all. Called with the lock. Threads never end: asleep they cost nothing, and
// the process ends without them.
static void uk_grow(long wanted) {
  for (; uk_threads < wanted && uk_threads < UK_MOST_HELPERS; uk_threads++) {
    struct uk_helper *helper = &uk_helpers[uk_threads];
    helper->off = -1;
    if (!uk_start_thread(&helper->thread, helper)) return;
  }
}

// Keeps sleeping threads off the caller's core. Called with the lock. A thread that woke up on that core would wait
// there until the caller sleeps: the system moves it to another core only after milliseconds.
static void uk_keep_off_this_core(void) {
  const int own = uk_this_core();
  if (own < 0) return;
  for (long at = 0; at < uk_threads; at++) {
    struct uk_helper *helper = &uk_helpers[at];
    if (helper->is_asleep && helper->off != own && uk_keep_off(helper->thread, own)) helper->off = own;
  }
}

static void uk_enter(struct uk_loop *loop) {
  uk_acquire(&uk_lock);
  uk_grow(loop->slots - 1);
  loop->following = uk_loops;
  uk_loops = loop;
  atomic_fetch_add(&uk_arrivals, 1);
  uk_keep_off_this_core();
  uk_release(&uk_lock);
  for (long helper = 1; helper < loop->slots; helper++) uk_wake_one(&uk_comes);
}

// Takes the loop off the list, so that no further thread begins to help, and waits for those that do.
static void uk_leave(struct uk_loop *loop) {
  uk_acquire(&uk_lock);
  struct uk_loop **place = &uk_loops;
  while (*place != loop) place = &(*place)->following;
  *place = loop->following;
  uk_release(&uk_lock);
  const long helpers = atomic_load(&loop->helpers);
  if (helpers > 0) uk_spin_while(&loop->helpers, helpers);
  if (atomic_load(&loop->helpers) == 0) return;
  uk_acquire(&uk_lock);
  while (atomic_load(&loop->helpers) > 0) uk_wait(&uk_leaves, &uk_lock);
  uk_release(&uk_lock);
}

static void uk_share_here(uk_part *run, void *context, long parts, long slots) {
  struct uk_loop loop = {.run = run, .context = context, .parts = parts, .taken = 1};
  loop.slots = slots < parts ? slots : parts;
  if (loop.slots > 1) uk_enter(&loop);
  uk_work_on(&loop, 0);
  if (loop.slots > 1) uk_leave(&loop);
}

// Function of one addon that the others of the process find by its name. The number in the name stands for its
// parameters, so that addons of another version do not find it.
#ifdef _WIN32
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
void uk_share_1(uk_part *run, void *context, long parts, long slots) {
  uk_share_here(run, context, parts, slots);
}

static uk_share *uk_shared = uk_share_here;

// Uses the threads of the first addon in the process, if there is one; else this addon becomes the first.
static void uk_join_threads(void) {
  uk_share *first = uk_share_of_first(uk_share_here);
  if (first) uk_shared = first;
}
