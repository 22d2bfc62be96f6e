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

struct uk_kernel {
  const char *name;
  void (*run)(void *const *args, void *workspace);
  // Inputs, then outputs.
  const struct uk_parameter *parameters;
  size_t parameter_count, input_count, workspace_bytes;
  // Whether it uses the tile registers of x86, for which a process has to ask.
  int has_tiles;
};

extern const struct uk_kernel uk_kernels[];
extern const size_t uk_kernel_count;

#endif
