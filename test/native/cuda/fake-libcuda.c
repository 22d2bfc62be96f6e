/* A driver of CUDA for tests, on the CPU: memory is that of the process, a launch calls a function, "launch_<entry>", of the library that
   the PTX of fake-nvrtc.c names, at once. PTX is looked at as far as a driver refuses it: its version, its target, its entries.

   The environment says what is wrong with it: FAKE_CUDA_DEVICES, _VERSION (12040), _CAPABILITY (90; "90,75" for two), _MEMORY (bytes
   of each device), _FAIL_LAUNCH (the launch, from 1, that breaks the context), _WRONG (launches do nothing), _SLOW_MS (of each launch),
   _LOAD_MS (of loading a module), _NO_PINNED, _NO_CUBIN (machine code is of a newer CUDA), _LATE (copies and launches wait in a queue, of which each question for an event does one). FAKE_CUDA_LOG names a file that gets a line for what is done, with the number of the device. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { done = 0, invalid = 1, out_of_memory = 2, not_initialized = 3, no_device = 100, invalid_device = 101, invalid_image = 200, invalid_context = 201,
  invalid_ptx = 218, unsupported_ptx = 222, no_code = 209, not_found = 500, not_ready = 600, illegal_address = 700 };

#define most_devices 8

#define most_arguments 64
#define most_work 100000

typedef void launch_function(const unsigned *, const unsigned *, void **);

/* An argument: an address, or a map of an array. */
struct value { _Alignas(64) unsigned char bytes[128]; };

/* A copy, or a launch with the values of its arguments. */
struct work { void *to; const void *from; size_t bytes; launch_function *launch; unsigned grid[3], group[3]; struct value values[most_arguments]; };

struct device { int context; int broken; size_t used; double busy_until; struct work **queue; long added, finished; };
struct module { char *text; int device; };
struct function { launch_function *launch; int count; const int *sizes; int device; };
struct event { double at; long added; int launches; };
struct block { size_t bytes; int device; };

static struct device devices[most_devices];
static int is_initialized, launches;
/* Each thread has a context of its own, as with the real driver. */
static __thread int current = -1;

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int device_count(void) { return (int)number("FAKE_CUDA_DEVICES", 1); }

static int capability_of(int device) {
  const char *text = getenv("FAKE_CUDA_CAPABILITY");
  int capability = 90;
  for (int at = 0; text && *text && at <= device; at++) {
    capability = atoi(text);
    text = strchr(text, ',');
    if (text) text++;
  }
  return capability;
}

/* What every call with a context says first. */
static int state(void) {
  if (!is_initialized) return not_initialized;
  if (current < 0) return invalid_context;
  return devices[current].broken;
}

static void note(const char *what) {
  const char *path = getenv("FAKE_CUDA_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s %d\n", what, current);
  fclose(file);
}

static void do_work(struct work *work) {
  void *places[most_arguments];
  for (int at = 0; at < most_arguments; at++) places[at] = &work->values[at];
  if (work->launch) work->launch(work->grid, work->group, places);
  else memcpy(work->to, work->from, work->bytes);
}

/* Does the first of what waits. */
static void do_next(struct device *device) {
  struct work *work = device->queue[device->finished++ % most_work];
  do_work(work);
  free(work);
}

static void drain(void) {
  struct device *device = &devices[current];
  while (device->finished < device->added) do_next(device);
}

/* Does it now, or adds it to the queue. */
static int add(struct work work) {
  struct device *device = &devices[current];
  if (!number("FAKE_CUDA_LATE", 0)) return do_work(&work), done;
  if (!device->queue) device->queue = calloc(most_work, sizeof *device->queue);
  struct work *kept = malloc(sizeof *kept);
  *kept = work;
  device->queue[device->added++ % most_work] = kept;
  return done;
}

int cuGetErrorName(int code, const char **name) {
  switch (code) {
    case invalid: *name = "CUDA_ERROR_INVALID_VALUE"; break;
    case out_of_memory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case not_initialized: *name = "CUDA_ERROR_NOT_INITIALIZED"; break;
    case no_device: *name = "CUDA_ERROR_NO_DEVICE"; break;
    case invalid_device: *name = "CUDA_ERROR_INVALID_DEVICE"; break;
    case invalid_context: *name = "CUDA_ERROR_INVALID_CONTEXT"; break;
    case invalid_image: *name = "CUDA_ERROR_INVALID_IMAGE"; break;
    case invalid_ptx: *name = "CUDA_ERROR_INVALID_PTX"; break;
    case unsupported_ptx: *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; break;
    case no_code: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; break;
    case not_found: *name = "CUDA_ERROR_NOT_FOUND"; break;
    case illegal_address: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    default: *name = NULL; return invalid;
  }
  return done;
}

int cuInit(unsigned flags) {
  if (flags != 0) return invalid;
  if (device_count() == 0) return no_device;
  is_initialized = 1;
  return done;
}

int cuDriverGetVersion(int *version) {
  *version = (int)number("FAKE_CUDA_VERSION", 12040);
  return done;
}

int cuDeviceGetCount(int *count) {
  *count = device_count();
  return is_initialized ? done : not_initialized;
}

int cuDeviceGet(int *device, int ordinal) {
  if (!is_initialized) return not_initialized;
  if (ordinal < 0 || ordinal >= device_count()) return invalid_device;
  *device = ordinal;
  return done;
}

int cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, length, "Fake GPU %d", device);
  return done;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
    case 16: *value = 4; return done;
    case 75: *value = capability_of(device) / 10; return done;
    case 97: *value = 227 * 1024; return done;
    case 76: *value = capability_of(device) % 10; return done;
    default: return invalid;
  }
}

int cuDevicePrimaryCtxRetain(uint64_t *context, int device) {
  if (!is_initialized) return not_initialized;
  devices[device].context++;
  *context = (uint64_t)device + 1;
  return done;
}

int cuCtxSetCurrent(uint64_t context) {
  current = (int)context - 1;
  return done;
}

int cuCtxSynchronize(void) {
  if (state()) return state();
  drain();
  return done;
}

int cuMemAlloc_v2(uint64_t *at, size_t bytes) {
  if (state()) return state();
  if (bytes == 0) return invalid;
  if (devices[current].used + bytes > (size_t)number("FAKE_CUDA_MEMORY", 1l << 30)) return out_of_memory;
  struct block *block = malloc(256 + bytes);
  *block = (struct block){bytes, current};
  devices[current].used += bytes;
  memset((char *)block + 256, 0xa5, bytes);
  *at = (uint64_t)(uintptr_t)block + 256;
  note("alloc");
  return done;
}

int cuMemFree_v2(uint64_t at) {
  struct block *block = (struct block *)(uintptr_t)(at - 256);
  if (state()) return state();
  drain();
  devices[block->device].used -= block->bytes;
  free(block);
  note("free");
  return state();
}

int cuMemHostAlloc(uint64_t *at, size_t bytes, unsigned flags) {
  if (state()) return state();
  if (getenv("FAKE_CUDA_NO_PINNED")) return out_of_memory;
  *at = (uint64_t)(uintptr_t)malloc(bytes);
  return flags ? invalid : done;
}

int cuMemFreeHost(uint64_t at) {
  if (state()) return state();
  drain();
  free((void *)(uintptr_t)at);
  return done;
}

static int copy(void *to, const void *from, size_t bytes) {
  if (state()) return state();
  drain();
  memcpy(to, from, bytes);
  return done;
}

int cuMemcpyHtoD_v2(uint64_t to, void *from, size_t bytes) { return copy((void *)(uintptr_t)to, from, bytes); }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return copy(to, (void *)(uintptr_t)from, bytes); }

int cuMemcpyHtoDAsync_v2(uint64_t to, void *from, size_t bytes, uint64_t stream) {
  (void)stream;
  if (state()) return state();
  note("upload");
  return add((struct work){.to = (void *)(uintptr_t)to, .from = from, .bytes = bytes});
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, uint64_t stream) {
  (void)stream;
  if (state()) return state();
  note("download");
  return add((struct work){.to = to, .from = (void *)(uintptr_t)from, .bytes = bytes});
}

int cuMemsetD8_v2(uint64_t at, unsigned char byte, size_t bytes) {
  if (state()) return state();
  memset((void *)(uintptr_t)at, byte, bytes);
  return done;
}

/* PTX of CUDA 12.x is 8.x, of 11.x 7.x. */
static int newest_ptx(void) {
  int version = (int)number("FAKE_CUDA_VERSION", 12040);
  return (version / 1000 - 4) * 10 + version % 1000 / 10;
}

static int add_module(uint64_t *handle, const char *text, const char *what) {
  struct module *module = malloc(sizeof *module);
  *module = (struct module){strdup(text), current};
  *handle = (uint64_t)(uintptr_t)module;
  note(what);
  return done;
}

/* Machine code runs on the generation that it is for. */
static int load_cubin(uint64_t *handle, const char *code) {
  int target, capability = capability_of(current);
  char exact = 0;
  if (number("FAKE_CUDA_NO_CUBIN", 0) || sscanf(code + 4, " sm_%d%c", &target, &exact) < 1) return invalid_image;
  int is_for_it = exact == 'a' ? capability == target : capability / 10 == target / 10 && capability >= target;
  return is_for_it ? add_module(handle, strchr(code, '\n') + 1, "load-cubin") : no_code;
}

int cuModuleLoadDataEx(uint64_t *handle, void *code, unsigned count, void *options, void *values) {
  if (state()) return state();
  if (count || options || values) return invalid;
  if (!strncmp(code, "\x7f" "ELF", 4)) return load_cubin(handle, code);
  int major, minor, target;
  char exact = 0;
  const char *where = strstr(code, ".target sm_");
  if (sscanf(code, ".version %d.%d", &major, &minor) != 2 || !where) return invalid_ptx;
  if (sscanf(where, ".target sm_%d%c", &target, &exact) < 1) return invalid_ptx;
  if (major * 10 + minor > newest_ptx()) return unsupported_ptx;
  struct timespec load = {number("FAKE_CUDA_LOAD_MS", 0) / 1000, number("FAKE_CUDA_LOAD_MS", 0) % 1000 * 1000000};
  nanosleep(&load, NULL);
  int capability = capability_of(current);
  if (exact == 'a' ? capability != target : capability < target) return no_code;
  return add_module(handle, code, "load");
}

int cuModuleLoadData(uint64_t *handle, void *code) { return cuModuleLoadDataEx(handle, code, 0, NULL, NULL); }

int cuModuleUnload(uint64_t handle) {
  struct module *module = (struct module *)(uintptr_t)handle;
  free(module->text);
  free(module);
  return state();
}

int cuModuleGetFunction(uint64_t *handle, uint64_t from, const char *name) {
  if (state()) return state();
  struct module *module = (struct module *)(uintptr_t)from;
  char entry[300];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  if (!strstr(module->text, entry)) return not_found;
  char path[1000] = "";
  const char *named = strstr(module->text, ".pragma \"library ");
  if (named) sscanf(named, ".pragma \"library %999[^\"]", path);
  void *library = *path ? dlopen(path, RTLD_NOW) : NULL;
  snprintf(entry, sizeof entry, "launch_%s", name);
  struct function *function = malloc(sizeof *function);
  *function = (struct function){library ? dlsym(library, entry) : NULL, 0, NULL, module->device};
  snprintf(entry, sizeof entry, "count_%s", name);
  if (library) function->count = *(const int *)dlsym(library, entry);
  snprintf(entry, sizeof entry, "sizes_%s", name);
  if (library) function->sizes = *(const int **)dlsym(library, entry);
  *handle = (uint64_t)(uintptr_t)function;
  return function->launch ? done : not_found;
}

int cuFuncSetAttribute(uint64_t function, int attribute, int value) {
  (void)function;
  return attribute == 8 && value <= 227 * 1024 ? state() : invalid;
}

int cuLaunchKernel(uint64_t handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
    uint64_t stream, void **parameters, void *extra) {
  (void)stream;
  if (state()) return state();
  struct function *function = (struct function *)(uintptr_t)handle;
  /* A function of another context's module. */
  if (function->device != current) return invalid;
  if (shared > 227 * 1024 || bx * by * bz > 1024 || extra) return invalid;
  note("launch");
  if (++launches == number("FAKE_CUDA_FAIL_LAUNCH", 0)) {
    devices[current].broken = illegal_address;
    return done;
  }
  devices[current].busy_until = now_ms() + number("FAKE_CUDA_SLOW_MS", 0);
  if (number("FAKE_CUDA_WRONG", 0)) return done;
  struct work work = {.launch = function->launch, .grid = {gx, gy, gz}, .group = {bx, by, bz}};
  for (int at = 0; at < function->count; at++) memcpy(work.values[at].bytes, parameters[at], function->sizes[at]);
  return add(work);
}

/* A map as cpu-threads.h reads it, of what the real driver takes. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, uint64_t array, const uint64_t *sizes, const uint64_t *strides, const unsigned *box,
    const unsigned *steps, int order, int swizzle, int lines, int outside) {
  if (state()) return state();
  const unsigned bytes = type == 0 ? 1 : 2;
  const int is_aligned = (uintptr_t)map % 64 == 0 && array % 16 == 0 && strides[0] % 16 == 0;
  const int is_box = box[0] * bytes == 128 && box[1] >= 1 && box[1] <= 256 && steps[0] == 1 && steps[1] == 1;
  const int is_known = type <= 1 && rank == 2 && order == 0 && swizzle == 3 && lines == 2 && outside == 0;
  if (!is_aligned || !is_box || !is_known || strides[0] != sizes[0] * bytes) return invalid;
  const uint64_t words[6] = {array, bytes, sizes[0], sizes[1], box[0], box[1]};
  memcpy(map, words, sizeof words);
  return done;
}

int cuStreamCreate(uint64_t *stream, unsigned flags) {
  static uint64_t next = 1;
  *stream = ++next;
  return flags ? invalid : state();
}

int cuStreamDestroy_v2(uint64_t stream) { return stream ? state() : invalid; }

int cuEventCreate(uint64_t *handle, unsigned flags) {
  (void)flags;
  if (state()) return state();
  *handle = (uint64_t)(uintptr_t)calloc(1, sizeof(struct event));
  return done;
}

int cuEventRecord(uint64_t handle, uint64_t stream) {
  (void)stream;
  if (state()) return state();
  *(struct event *)(uintptr_t)handle = (struct event){devices[current].busy_until, devices[current].added, launches};
  return done;
}

int cuEventQuery(uint64_t handle) {
  struct event *event = (struct event *)(uintptr_t)handle;
  if (state()) return state();
  if (now_ms() < event->at) return not_ready;
  if (devices[current].finished >= event->added) return done;
  do_next(&devices[current]);
  return not_ready;
}

int cuEventDestroy_v2(uint64_t handle) {
  free((void *)(uintptr_t)handle);
  return done;
}

int cuEventSynchronize(uint64_t handle) {
  while (cuEventQuery(handle) == not_ready) {}
  return state();
}

/* Each launch takes 0.01 ms, and so does a stretch without one. */
int cuEventElapsedTime(float *ms, uint64_t from, uint64_t to) {
  int count = ((struct event *)(uintptr_t)to)->launches - ((struct event *)(uintptr_t)from)->launches;
  *ms = 0.01f * (count > 1 ? count : 1);
  return state();
}
