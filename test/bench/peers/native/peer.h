// Interface of a library for the bench. A call is opened on arrays of the caller and run many times under one pair of
// clock readings. Operands that a library converts to layouts of its own (weights, and others that it asks for) are
// converted before the clock starts, and the result is converted back after it has stopped.

#ifndef PEER_H
#define PEER_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct peer_call;
typedef void peer_step(struct peer_call *);

// The first member of what a library keeps of a call.
struct peer_call {
  peer_step *run;
  // NULL: nothing is to be done.
  peer_step *before, *after, *release;
};

/// NULL: the library has no such call. `name` and `extents` are those of suites/, arrays are inputs, then the output.
struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays);

/// Sets the number of threads that all calls use.
void peer_threads(int count);

/// Kernels that the library chose for this CPU and for the call that was opened last, as it names them. NULL: it does not say.
const char *peer_chosen(void);

/// Nanoseconds of `runs` runs.
double peer_time(struct peer_call *call, int runs) {
  struct timespec begin, end;
  if (call->before) call->before(call);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int run = 0; run < runs; run++) call->run(call);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (call->after) call->after(call);
  return (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
}

void peer_close(struct peer_call *call) {
  if (call->release) call->release(call);
  free(call);
}

static inline int is(const char *name, const char *other) { return strcmp(name, other) == 0; }

#endif
