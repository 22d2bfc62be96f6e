// The limits of one core: multiplications and additions without memory, and reading from memory.

#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#if defined(__AMX_TILE__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
typedef int integers __attribute__((vector_size(4 * LANES)));
typedef float floats __attribute__((vector_size(4 * LANES)));

// More than there are under way in a core at once, and no more than there are registers for. An array of them goes to memory. A Zen 5 has twelve
// dot products of bf16 under way.
#define EACH_OF_12(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11)
#define SUMS_OF_12 sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7, sum8, sum9, sum10, sum11
#if defined(__AVX512F__)
#define EACH(f) EACH_OF_12(f) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23)
#define SUMS SUMS_OF_12, sum12, sum13, sum14, sum15, sum16, sum17, sum18, sum19, sum20, sum21, sum22, sum23
enum { ACCUMULATORS = 24 };
#else
#define EACH EACH_OF_12
#define SUMS SUMS_OF_12
enum { ACCUMULATORS = 12 };
#endif
#define START(at) sum##at = b;
// They are wanted in registers after each step.
#define WANTED(at) __asm__ volatile("" : "+v"(sum##at));

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/// 1e9 operations a second of a step that does so many.
#define PEAK(name, vector, first, second, step, operations)                        \
  double name(int steps) {                                                         \
    vector a, b, SUMS;                                                             \
    for (int lane = 0; lane < LANES; lane++) a[lane] = first, b[lane] = second;    \
    EACH(START)                                                                    \
    const double begin = seconds();                                                \
    for (int at = 0; at < steps; at++) {                                           \
      EACH(step)                                                                   \
      EACH(WANTED)                                                                 \
    }                                                                              \
    return (double)(operations) * ACCUMULATORS * steps / (seconds() - begin) / 1e9;\
  }

#define MULTIPLY_ADD(at) sum##at = sum##at * a + b;
PEAK(peak_f32, floats, 0.999f, 0.5f, MULTIPLY_ADD, 2 * LANES)

// Dot products of bytes, and of pairs of bf16. 0: this machine has no instruction for them.

#if defined(__AMX_TILE__)
// Products of whole tiles, with as many sums as kernels keep. The system lets a process use tiles once it asks.
#define TILES(name, instruction, operations)                                                                      \
  double name(int steps) {                                                                                         \
    static const struct {                                                                                          \
      unsigned char palette, start, zero[14];                                                                      \
      unsigned short row_bytes[16];                                                                                \
      unsigned char rows[16];                                                                                      \
    } whole = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};                     \
    if (syscall(SYS_arch_prctl, 0x1023, 18) != 0) return 0;                                                        \
    __asm__ volatile("ldtilecfg %0" : : "m"(whole));                                                               \
    const double begin = seconds();                                                                                \
    for (int at = 0; at < steps; at++)                                                                             \
      __asm__ volatile(instruction " %%tmm6, %%tmm4, %%tmm0\n\t" instruction " %%tmm7, %%tmm4, %%tmm1\n\t"         \
                       instruction " %%tmm6, %%tmm5, %%tmm2\n\t" instruction " %%tmm7, %%tmm5, %%tmm3" : :);       \
    const double taken = seconds() - begin;                                                                        \
    __asm__ volatile("tilerelease" : :);                                                                           \
    return 4.0 * (operations) * steps / taken / 1e9;                                                               \
  }
#endif

#if defined(__AMX_INT8__)
TILES(peak_int8, "tdpbusd", 2 * 16 * 16 * 64)
#elif defined(__AVX512VNNI__)
#define DOT_BYTES(at) sum##at = __builtin_ia32_vpdpbusd_v16si(sum##at, a, b);
PEAK(peak_int8, integers, 0x01020304, 0x05060708, DOT_BYTES, 2 * 4 * LANES)
#else
double peak_int8(int steps) { return 0 * steps; }
#endif

#if defined(__AMX_BF16__)
TILES(peak_bf16, "tdpbf16ps", 2 * 16 * 16 * 32)
#elif defined(__AVX512BF16__)
#if __GNUC__ >= 13
typedef __bf16 pairs __attribute__((vector_size(4 * LANES)));
#else
typedef short pairs __attribute__((vector_size(4 * LANES)));
#endif
#define DOT_BF16(at) sum##at = __builtin_ia32_dpbf16ps_v16sf(sum##at, (pairs)a, (pairs)b);
PEAK(peak_bf16, floats, 0.999f, 0.5f, DOT_BF16, 2 * 2 * LANES)
#else
double peak_bf16(int steps) { return 0 * steps; }
#endif

/// GB/s of reading so many bytes.
double peak_reading(double bytes) {
  const size_t count = (size_t)bytes / sizeof(floats);
  floats *memory = aligned_alloc(64, count * sizeof(floats)), sums[8] = {{0}};
  for (size_t at = 0; at < count; at++) memory[at] = sums[0] + 1.0f;
  const double begin = seconds();
  for (size_t at = 0; at + 8 <= count; at += 8)
    for (int lane = 0; lane < 8; lane++) sums[lane] += memory[at + lane];
  const double taken = seconds() - begin;
  for (int at = 0; at < 8; at++) __asm__ volatile("" : : "v"(sums[at]));
  free(memory);
  return bytes / taken / 1e9;
}
