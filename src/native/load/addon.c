// A Node-API addon over a table of kernels: call(index, ...arrays), callAsync(index, ...arrays) → Promise, and slot(index), an
// object with call(...arrays) and again().
//
// The table is in another object file (kernel-table.h), so that this one is compiled once for many addons. Nothing here is
// global state but that constant table and the threads that a process has (threads.c), so every thread and context may load
// it. All arguments are checked: no value that JavaScript passes leads outside the memory of the arrays. Only again() trusts
// its caller.

#define NAPI_VERSION 8
#define _GNU_SOURCE
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel-table.h"
#ifdef _WIN32
#include "windows-runtime.h"
#endif
#include "threads.c"
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

// The typed arrays by napi_typedarray_type.
static const char *const uk_array_names[] = {
    "Int8Array",  "Uint8Array",   "Uint8ClampedArray", "Int16Array",    "Uint16Array",   "Int32Array",
    "Uint32Array", "Float32Array", "Float64Array",      "BigInt64Array", "BigUint64Array"};

// One context (main thread or worker): scratch memory of each kernel, allocated at its first call.
struct uk_instance {
  void *workspaces[1]; // uk_kernel_count of them
};

static void uk_free_instance(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  struct uk_instance *instance = data;
  for (size_t i = 0; i < uk_kernel_count; i++) free(instance->workspaces[i]);
  free(instance);
}

// The first 64-byte boundary in a block of at least 64 bytes more than needed.
static void *uk_aligned(void *block) { return (void *)(((uintptr_t)block + 63) & ~(uintptr_t)63); }

static void *uk_new_workspace(const struct uk_kernel *kernel) { return malloc(kernel->workspace_bytes + 64); }

static void uk_run(const struct uk_kernel *kernel, void *const *args, void *workspace) {
  if (kernel->run) kernel->run(args, workspace);
  else kernel->run_shared(args, workspace, uk_shared);
}

static void uk_throw_memory(napi_env env, const struct uk_kernel *kernel) {
  char message[256];
  snprintf(message, sizeof message, "%s: no memory for a workspace of %zu bytes", kernel->name, kernel->workspace_bytes);
  napi_throw_error(env, "ERR_KERNEL_MEMORY", message);
}

// ── arguments ───────────────────────────────────────────────────────────────────────────────────────────────────────

static const struct uk_kernel *uk_kernel_at(napi_env env, napi_value value) {
  double index = -1;
  if (napi_get_value_double(env, value, &index) != napi_ok || !(index >= 0 && index < uk_kernel_count)) {
    napi_throw_range_error(env, "ERR_KERNEL_INDEX", "no kernel has this index");
    return NULL;
  }
  return &uk_kernels[(size_t)index];
}

static bool uk_refuse_type(napi_env env, const struct uk_kernel *kernel, size_t at, const char *found) {
  char message[512];
  const struct uk_parameter *parameter = &kernel->parameters[at];
  snprintf(message, sizeof message, "%s: %s must be a %s of %zu elements, got %s", kernel->name, parameter->name,
           uk_array_names[parameter->type], parameter->length, found);
  napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", message);
  return false;
}

static bool uk_refuse_length(napi_env env, const struct uk_kernel *kernel, size_t at, size_t length) {
  char message[512];
  const struct uk_parameter *parameter = &kernel->parameters[at];
  snprintf(message, sizeof message, "%s: %s must have %zu elements, got %zu%s", kernel->name, parameter->name,
           parameter->length, length, length == 0 ? " (is it detached?)" : "");
  napi_throw_range_error(env, "ERR_OUT_OF_RANGE", message);
  return false;
}

static bool uk_refuse_overlap(napi_env env, const struct uk_kernel *kernel, size_t output, size_t other) {
  char message[512];
  snprintf(message, sizeof message, "%s: %s must not overlap %s", kernel->name, kernel->parameters[output].name,
           kernel->parameters[other].name);
  napi_throw_range_error(env, "ERR_OUT_OF_RANGE", message);
  return false;
}

static bool uk_overlap(const struct uk_kernel *kernel, void *const *args, size_t a, size_t b) {
  uintptr_t from_a = (uintptr_t)args[a], from_b = (uintptr_t)args[b];
  return from_a < from_b + kernel->parameters[b].bytes && from_b < from_a + kernel->parameters[a].bytes;
}

// Fills `args` with the memory of the arrays. False: an exception is pending.
static bool uk_read_arrays(napi_env env, const struct uk_kernel *kernel, const napi_value *arrays, void **args) {
  for (size_t at = 0; at < kernel->parameter_count; at++) {
    const struct uk_parameter *parameter = &kernel->parameters[at];
    napi_typedarray_type type;
    size_t length;
    if (napi_get_typedarray_info(env, arrays[at], &type, &length, &args[at], NULL, NULL) != napi_ok)
      return uk_refuse_type(env, kernel, at, "something else");
    if ((int)type != parameter->type) {
      bool known = (size_t)type < sizeof uk_array_names / sizeof *uk_array_names;
      return uk_refuse_type(env, kernel, at, known ? uk_array_names[type] : "another typed array");
    }
    if (length != parameter->length) return uk_refuse_length(env, kernel, at, length);
  }
  for (size_t output = kernel->input_count; output < kernel->parameter_count; output++)
    for (size_t other = 0; other < output; other++)
      if (uk_overlap(kernel, args, output, other)) return uk_refuse_overlap(env, kernel, output, other);
  return true;
}

// Checks that there are as many arrays as the kernel has parameters, and that they fit. False: an exception is pending.
static bool uk_read_all(napi_env env, const struct uk_kernel *kernel, size_t count, const napi_value *arrays, void **args) {
  if (count == kernel->parameter_count) return uk_read_arrays(env, kernel, arrays, args);
  char message[256];
  snprintf(message, sizeof message, "%s: takes %zu arrays, got %zu", kernel->name, kernel->parameter_count, count);
  napi_throw_type_error(env, "ERR_MISSING_ARGS", message);
  return false;
}

// Reads the kernel and its arrays from (index, ...arrays). NULL: an exception is pending.
static const struct uk_kernel *uk_read_call(napi_env env, napi_callback_info info, napi_value *values, void **args) {
  size_t count = UK_MAX_ARGUMENTS + 1;
  if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok) return NULL;
  const struct uk_kernel *kernel = uk_kernel_at(env, values[0]);
  return kernel && uk_read_all(env, kernel, count > 0 ? count - 1 : 0, values + 1, args) ? kernel : NULL;
}

// ── call ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Returns the workspace of this context. NULL: an exception is pending.
static void *uk_workspace(napi_env env, const struct uk_kernel *kernel) {
  struct uk_instance *instance = NULL;
  napi_get_instance_data(env, (void **)&instance);
  void **block = &instance->workspaces[kernel - uk_kernels];
  if (!*block) *block = uk_new_workspace(kernel);
  if (!*block) uk_throw_memory(env, kernel);
  return *block ? uk_aligned(*block) : NULL;
}

static napi_value uk_call(napi_env env, napi_callback_info info) {
  napi_value values[UK_MAX_ARGUMENTS + 1];
  void *args[UK_MAX_ARGUMENTS];
  const struct uk_kernel *kernel = uk_read_call(env, info, values, args);
  if (!kernel) return NULL;
  void *workspace = kernel->workspace_bytes ? uk_workspace(env, kernel) : NULL;
  if (workspace || !kernel->workspace_bytes) uk_run(kernel, args, workspace);
  return NULL;
}

// ── slot ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Asking for the memory of an array takes longer than a small kernel. So a slot remembers the memory of its last call.
// A caller that knows that the arrays are the same, and that none has been detached since, runs the kernel on them
// again. A typed array's memory stays where it is from the first time that it is asked for.
struct uk_slot {
  const struct uk_kernel *kernel;
  void *workspace;
  bool is_bound;
  // Number of functions that refer to the slot.
  int holders;
  void *args[UK_MAX_ARGUMENTS];
};

static void uk_release_slot(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  struct uk_slot *slot = data;
  if (--slot->holders == 0) free(slot);
}

static napi_value uk_slot_call(napi_env env, napi_callback_info info) {
  napi_value values[UK_MAX_ARGUMENTS];
  size_t count = UK_MAX_ARGUMENTS;
  struct uk_slot *slot;
  if (napi_get_cb_info(env, info, &count, values, NULL, (void **)&slot) != napi_ok) return NULL;
  slot->is_bound = false;
  if (!uk_read_all(env, slot->kernel, count, values, slot->args)) return NULL;
  if (slot->kernel->workspace_bytes && !slot->workspace) slot->workspace = uk_workspace(env, slot->kernel);
  if (slot->kernel->workspace_bytes && !slot->workspace) return NULL;
  slot->is_bound = true;
  uk_run(slot->kernel, slot->args, slot->workspace);
  return NULL;
}

static napi_value uk_slot_again(napi_env env, napi_callback_info info) {
  struct uk_slot *slot;
  if (napi_get_cb_info(env, info, NULL, NULL, NULL, (void **)&slot) != napi_ok) return NULL;
  if (slot->is_bound) uk_run(slot->kernel, slot->args, slot->workspace);
  else napi_throw_error(env, "ERR_KERNEL_UNBOUND", "there was no call before");
  return NULL;
}

static bool uk_slot_function(napi_env env, napi_value object, const char *name, napi_callback callback, struct uk_slot *slot) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, slot, &function) != napi_ok) return false;
  if (napi_add_finalizer(env, function, slot, uk_release_slot, NULL, NULL) != napi_ok) return false;
  slot->holders++;
  return napi_set_named_property(env, object, name, function) == napi_ok;
}

static napi_value uk_new_slot(napi_env env, napi_callback_info info) {
  napi_value value, object;
  size_t count = 1;
  if (napi_get_cb_info(env, info, &count, &value, NULL, NULL) != napi_ok) return NULL;
  const struct uk_kernel *kernel = uk_kernel_at(env, value);
  if (!kernel || napi_create_object(env, &object) != napi_ok) return NULL;
  struct uk_slot *slot = calloc(1, sizeof *slot);
  if (!slot) {
    uk_throw_memory(env, kernel);
    return NULL;
  }
  slot->kernel = kernel;
  if (uk_slot_function(env, object, "call", uk_slot_call, slot) && uk_slot_function(env, object, "again", uk_slot_again, slot))
    return object;
  if (slot->holders == 0) free(slot);
  napi_throw_error(env, NULL, "the slot could not be made");
  return NULL;
}

// ── callAsync ───────────────────────────────────────────────────────────────────────────────────────────────────────

// A run on the thread pool. It has scratch memory of its own, as several may run at once.
struct uk_job {
  const struct uk_kernel *kernel;
  napi_async_work work;
  napi_deferred deferred;
  napi_ref arrays[UK_MAX_ARGUMENTS];
  void *args[UK_MAX_ARGUMENTS];
  bool failed;
};

static void uk_execute(napi_env env, void *data) {
  (void)env;
  struct uk_job *job = data;
  void *block = uk_new_workspace(job->kernel);
  job->failed = !block;
  if (block) uk_run(job->kernel, job->args, uk_aligned(block));
  free(block);
}

static void uk_settle(napi_env env, struct uk_job *job, napi_status status) {
  napi_value value, text;
  if (status == napi_ok && !job->failed) {
    napi_get_undefined(env, &value);
    napi_resolve_deferred(env, job->deferred, value);
    return;
  }
  napi_create_string_utf8(env, job->failed ? "no memory for the workspace" : "cancelled", NAPI_AUTO_LENGTH, &text);
  napi_create_error(env, NULL, text, &value);
  napi_reject_deferred(env, job->deferred, value);
}

static void uk_free_job(napi_env env, struct uk_job *job) {
  for (size_t at = 0; at < job->kernel->parameter_count; at++)
    if (job->arrays[at]) napi_delete_reference(env, job->arrays[at]);
  if (job->work) napi_delete_async_work(env, job->work);
  free(job);
}

static void uk_complete(napi_env env, napi_status status, void *data) {
  uk_settle(env, data, status);
  uk_free_job(env, data);
}

// Keeps the arrays alive and starts the job. False: a Node-API call failed.
static bool uk_start(napi_env env, struct uk_job *job, const napi_value *arrays, napi_value *promise) {
  napi_value name;
  for (size_t at = 0; at < job->kernel->parameter_count; at++)
    if (napi_create_reference(env, arrays[at], 1, &job->arrays[at]) != napi_ok) return false;
  if (napi_create_string_utf8(env, job->kernel->name, NAPI_AUTO_LENGTH, &name) != napi_ok) return false;
  if (napi_create_async_work(env, NULL, name, uk_execute, uk_complete, job, &job->work) != napi_ok) return false;
  if (napi_create_promise(env, &job->deferred, promise) != napi_ok) return false;
  return napi_queue_async_work(env, job->work) == napi_ok;
}

static napi_value uk_call_async(napi_env env, napi_callback_info info) {
  napi_value values[UK_MAX_ARGUMENTS + 1], promise = NULL;
  void *args[UK_MAX_ARGUMENTS];
  const struct uk_kernel *kernel = uk_read_call(env, info, values, args);
  if (!kernel) return NULL;
  struct uk_job *job = calloc(1, sizeof *job);
  if (!job) {
    uk_throw_memory(env, kernel);
    return NULL;
  }
  job->kernel = kernel;
  for (size_t at = 0; at < kernel->parameter_count; at++) job->args[at] = args[at];
  if (uk_start(env, job, values + 1, &promise)) return promise;
  uk_free_job(env, job);
  napi_throw_error(env, NULL, "the kernel could not be queued");
  return NULL;
}

#ifdef KERNEL_BENCH
#include "bench.c"
#endif

#if defined(__x86_64__) && (defined(_WIN32) || defined(KERNEL_BENCH))
#define UK_TELLS_FEATURES
#include "features.c"
#elif defined(__aarch64__) && defined(_WIN32)
#define UK_TELLS_FEATURES
#include "features-arm.c"
#endif

// ── tiles ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Asks the system to save tile registers for this process, and says whether it does. Linux then saves them for all
// threads, and refuses where the processor or the kernel has none (Documentation/arch/x86/xstate.rst). No way is known
// to ask other systems.
static bool uk_may_use_tiles(void) {
#ifdef SYS_arch_prctl
  const long request = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request, tile_data) == 0;
#else
  return false;
#endif
}

// False: an exception is pending.
static bool uk_check_tiles(napi_env env) {
  bool needed = false;
  for (size_t i = 0; i < uk_kernel_count; i++) needed |= uk_kernels[i].has_tiles;
  if (!needed || uk_may_use_tiles()) return true;
  napi_throw_error(env, "ERR_KERNEL_TILES", "the system does not let this process use the tile registers (AMX)");
  return false;
}

// ── module ──────────────────────────────────────────────────────────────────────────────────────────────────────────

static napi_value uk_export(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) != napi_ok) return NULL;
  return napi_set_named_property(env, exports, name, function) == napi_ok ? exports : NULL;
}

NAPI_MODULE_INIT() {
  if (!uk_check_tiles(env)) return NULL;
  for (size_t i = 0; i < uk_kernel_count; i++)
    if (uk_kernels[i].run_shared) uk_join_threads();
  struct uk_instance *instance = calloc(uk_kernel_count, sizeof *instance);
  if (!instance || napi_set_instance_data(env, instance, uk_free_instance, NULL) != napi_ok) {
    free(instance);
    return NULL;
  }
#ifdef KERNEL_BENCH
  if (!uk_export(env, exports, "bench", uk_bench)) return NULL;
#endif
#ifdef UK_TELLS_FEATURES
  if (!uk_export(env, exports, "features", uk_present_features)) return NULL;
#endif
  if (!uk_export(env, exports, "call", uk_call)) return NULL;
  if (!uk_export(env, exports, "slot", uk_new_slot)) return NULL;
  return uk_export(env, exports, "callAsync", uk_call_async);
}
