// The table through which the addon finds its kernels: written by translation-unit.ts, read by addon.c.

#ifndef UK_KERNEL_TABLE
#define UK_KERNEL_TABLE
#include <stddef.h>

// Parameters of a kernel at most.
#define UK_MAX_ARGUMENTS 64

struct uk_parameter {
  const char *name;
  // napi_typedarray_type
  int type;
  size_t length, bytes;
};

// Types by which a kernel shares the iterations of a loop among threads. The C text of a kernel repeats them, with the
// same guard.
#ifndef UK_SHARE
#define UK_SHARE
// One iteration. `slot` is the number of the thread among those that share the loop: no two of them have the same.
typedef void uk_part(void *context, long part, long slot);
// Runs all parts, each once, on at most `slots` threads, and returns when all are done.
typedef void uk_share(uk_part *run, void *context, long parts, long slots);
#endif

struct uk_kernel {
  const char *name;
  // Kernels of one thread have the first, those of several the other.
  void (*run)(void *const *args, void *workspace);
  void (*run_shared)(void *const *args, void *workspace, uk_share *share);
  // Inputs, then outputs.
  const struct uk_parameter *parameters;
  size_t parameter_count, input_count, workspace_bytes;
  // Says whether the kernel uses the tile registers of x86, which a process has to ask the system for.
  int has_tiles;
};

extern const struct uk_kernel uk_kernels[];
extern const size_t uk_kernel_count;

#endif
