// Stands for a Node that musl runs, of which there is none to install: as much of Node-API as an addon's `call` takes. It loads an addon, calls
// its first kernel again and again on an array of f64, and prints how many threads it has then and what the last call gave.
//
//     musl-gcc -rdynamic node-on-musl.c -o node-on-musl && ./node-on-musl kernels.node 6656
//
// With an array of length 0 it only loads the addon, with all functions that this wants.

#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ok, invalid_argument, float64_array = 8, calls = 200 };

struct value {
  double number;
  double *data;
  size_t length;
};
struct arguments {
  size_t count;
  struct value **values;
};
typedef struct value *callback(void *env, void *info);

static callback *kernel_call;
static void *instance;

int napi_create_function(void *env, const char *name, size_t length, callback *function, void *data, void **result) {
  if (strcmp(name, "call") == 0) kernel_call = function;
  return ok;
}
int napi_set_named_property(void *env, void *object, const char *name, void *value) { return ok; }
int napi_set_instance_data(void *env, void *data, void *finalizer, void *hint) { return instance = data, ok; }
int napi_get_instance_data(void *env, void **data) { return *data = instance, ok; }
int napi_get_undefined(void *env, void **result) { return *result = NULL, ok; }
int napi_get_cb_info(void *env, void *info, size_t *count, void **values, void *self, void **data) {
  struct arguments *given = info;
  for (size_t at = 0; at < *count && at < given->count; at++) values[at] = given->values[at];
  return *count = given->count, ok;
}
int napi_get_value_double(void *env, struct value *value, double *result) { return *result = value->number, ok; }
int napi_get_typedarray_info(void *env, struct value *value, int *type, size_t *length, void **data, void *buffer, void *offset) {
  if (!value->data) return invalid_argument;
  return *type = float64_array, *length = value->length, *data = value->data, ok;
}
static int thrown(void *env, const char *code, const char *message) {
  fprintf(stderr, "%s: %s\n", code, message);
  exit(1);
}
int napi_throw_error(void *env, const char *code, const char *message) { return thrown(env, code, message); }
int napi_throw_range_error(void *env, const char *code, const char *message) { return thrown(env, code, message); }
int napi_throw_type_error(void *env, const char *code, const char *message) { return thrown(env, code, message); }

// The rest, which `call` does not need.
#define UNUSED(name) \
  void name(void) { abort(); }
UNUSED(napi_add_finalizer)
UNUSED(napi_create_array)
UNUSED(napi_create_array_with_length)
UNUSED(napi_create_async_work)
UNUSED(napi_create_double)
UNUSED(napi_create_error)
UNUSED(napi_create_object)
UNUSED(napi_create_promise)
UNUSED(napi_create_reference)
UNUSED(napi_create_string_utf8)
UNUSED(napi_delete_async_work)
UNUSED(napi_delete_reference)
UNUSED(napi_queue_async_work)
UNUSED(napi_reject_deferred)
UNUSED(napi_resolve_deferred)
UNUSED(napi_set_element)

static int threads_of_process(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = -2;
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  void *addon = dlopen(arguments[1], RTLD_NOW);
  if (!addon) return fprintf(stderr, "%s\n", dlerror()), 1;
  void *(*open)(void *env, void *exports) = dlsym(addon, "napi_register_module_v1");
  open(NULL, &kernel_call);
  size_t length = strtoul(arguments[2], NULL, 10);
  if (length == 0) return 0;
  struct value index = {0}, x = {0, malloc(8 * length), length}, y = {0, calloc(length, 8), length};
  for (size_t at = 0; at < length; at++) x.data[at] = at + 1;
  struct arguments given = {3, (struct value *[]){&index, &x, &y}};
  for (int each = 0; each < calls; each++) {
    memset(y.data, 0, 8 * length);
    kernel_call(NULL, &given);
  }
  printf("{\"threads\":%d,\"y\":[%.0f", threads_of_process(), y.data[0]);
  for (size_t at = 1; at < length; at++) printf(",%.0f", y.data[at]);
  printf("]}\n");
  return 0;
}
