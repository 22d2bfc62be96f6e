// features(): names of the instruction sets that the processor has and the system saves the registers of, as compilers spell them. For systems that
// tell a program no other way (Windows), and for tests. Part of addon.c, which is compiled for any x86-64 processor.
//
// Bits: Intel, Software Developer's Manual, volume 2, CPUID; volume 1, 13.3 (XCR0).

#include <cpuid.h>

enum { UK_SSE_AVX = 0x6, UK_AVX512 = 0xe6, UK_TILES = 0x60000 };

static const struct {
  const char *name;
  // In CPUID: the leaf, the part of it, the register (eax, ebx, ecx, edx) and its bit.
  unsigned leaf, part, word, bit;
  // Registers that the system has to save.
  unsigned saved;
} uk_features[] = {
    {"avx", 1, 0, 2, 28, UK_SSE_AVX},       {"f16c", 1, 0, 2, 29, UK_SSE_AVX},      {"fma", 1, 0, 2, 12, UK_SSE_AVX},
    {"avx2", 7, 0, 1, 5, UK_SSE_AVX},       {"avx512f", 7, 0, 1, 16, UK_AVX512},    {"avx512dq", 7, 0, 1, 17, UK_AVX512},
    {"avx512cd", 7, 0, 1, 28, UK_AVX512},   {"avx512bw", 7, 0, 1, 30, UK_AVX512},   {"avx512vl", 7, 0, 1, 31, UK_AVX512},
    {"avx512vnni", 7, 0, 2, 11, UK_AVX512}, {"avx512bf16", 7, 1, 0, 5, UK_AVX512},  {"amx-bf16", 7, 0, 3, 22, UK_TILES},
    {"amx-tile", 7, 0, 3, 24, UK_TILES},    {"amx-int8", 7, 0, 3, 25, UK_TILES},
};

// Sets of registers that the system saves: XCR0, or none where it does not let programs ask.
static unsigned uk_saved_registers(void) {
  unsigned words[4], low, high;
  const unsigned os_xsave = 1u << 27;
  if (!__get_cpuid(1, &words[0], &words[1], &words[2], &words[3]) || !(words[2] & os_xsave)) return 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static napi_value uk_present_features(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value names, name;
  if (napi_create_array(env, &names) != napi_ok) return NULL;
  const unsigned saved = uk_saved_registers();
  uint32_t count = 0;
  for (size_t at = 0; at < sizeof uk_features / sizeof *uk_features; at++) {
    unsigned words[4] = {0};
    if ((uk_features[at].saved & ~saved) != 0) continue;
    if (!__get_cpuid_count(uk_features[at].leaf, uk_features[at].part, &words[0], &words[1], &words[2], &words[3])) continue;
    if (!(words[uk_features[at].word] >> uk_features[at].bit & 1)) continue;
    napi_create_string_utf8(env, uk_features[at].name, NAPI_AUTO_LENGTH, &name);
    napi_set_element(env, names, count++, name);
  }
  return names;
}
