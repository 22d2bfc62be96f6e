// features(): names of the instruction sets of a 64-bit ARM processor, as compilers spell them, where Windows is the one to tell. Part of addon.c.
//
// Numbers: Microsoft, IsProcessorFeaturePresent. Windows before 11 24H2 knows those from 66 on of no processor: they count as lacking there.

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static const struct {
  const char *name;
  DWORD number;
} uk_features[] = {{"neon", 19}, {"dotprod", 43}, {"i8mm", 66}, {"fp16", 67}, {"bf16", 68}};

static napi_value uk_present_features(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value names, name;
  if (napi_create_array(env, &names) != napi_ok) return NULL;
  uint32_t count = 0;
  for (size_t at = 0; at < sizeof uk_features / sizeof *uk_features; at++) {
    if (!IsProcessorFeaturePresent(uk_features[at].number)) continue;
    napi_create_string_utf8(env, uk_features[at].name, NAPI_AUTO_LENGTH, &name);
    napi_set_element(env, names, count++, name);
  }
  return names;
}
