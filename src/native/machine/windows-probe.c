// windows-probe.node, the one file of the package that comes compiled: it tells what Windows tells programs in C alone, the features,
// the model and the caches of the processor. Any x86-64 processor runs it. test/native/machine/windows-probe.test.ts compiles it again, and
// wants the same bytes.

#define NAPI_VERSION 8
#define WIN32_LEAN_AND_MEAN
#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>
#include "features.c"

// Called when the file is loaded. Nothing has to be prepared.
int __stdcall DllMainCRTStartup(void *module, unsigned reason, void *reserved) {
  (void)module;
  (void)reason;
  (void)reserved;
  return 1;
}

static void uk_put(napi_env env, napi_value numbers, uint32_t *count, uint32_t number) {
  napi_value value;
  if (napi_create_uint32(env, number, &value) == napi_ok) napi_set_element(env, numbers, (*count)++, value);
}

// Four numbers for each cache of the first processor: level, kind (0 unified, 1 instructions, 2 data, 3 trace), bytes, processors that share it.
static void uk_put_caches(napi_env env, napi_value numbers, const SYSTEM_LOGICAL_PROCESSOR_INFORMATION *entries, size_t length) {
  uint32_t count = 0;
  for (size_t at = 0; at < length; at++) {
    if (entries[at].Relationship != RelationCache || !(entries[at].ProcessorMask & 1)) continue;
    uint32_t sharers = 0;
    for (ULONG_PTR mask = entries[at].ProcessorMask; mask != 0; mask &= mask - 1) sharers++;
    uk_put(env, numbers, &count, entries[at].Cache.Level);
    uk_put(env, numbers, &count, (uint32_t)entries[at].Cache.Type);
    uk_put(env, numbers, &count, entries[at].Cache.Size);
    uk_put(env, numbers, &count, sharers);
  }
}

static napi_value uk_caches(napi_env env) {
  napi_value numbers;
  if (napi_create_array(env, &numbers) != napi_ok) return NULL;
  DWORD bytes = 0;
  GetLogicalProcessorInformation(NULL, &bytes);
  SYSTEM_LOGICAL_PROCESSOR_INFORMATION *entries = HeapAlloc(GetProcessHeap(), 0, bytes);
  if (!entries) return numbers;
  if (GetLogicalProcessorInformation(entries, &bytes)) uk_put_caches(env, numbers, entries, bytes / sizeof *entries);
  HeapFree(GetProcessHeap(), 0, entries);
  return numbers;
}

// Family, model and stepping.
static napi_value uk_signature(napi_env env) {
  unsigned words[4] = {0};
  napi_value signature;
  __get_cpuid(1, &words[0], &words[1], &words[2], &words[3]);
  return napi_create_uint32(env, words[0], &signature) == napi_ok ? signature : NULL;
}

NAPI_MODULE_INIT() {
  napi_set_named_property(env, exports, "features", uk_present_features(env, NULL));
  napi_set_named_property(env, exports, "caches", uk_caches(env));
  napi_set_named_property(env, exports, "signature", uk_signature(env));
  return exports;
}
