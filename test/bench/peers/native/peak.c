// The limits of one core: multiplications and additions without memory, and reading from memory.

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if defined(__AVX512F__)
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
typedef float vector __attribute__((vector_size(4 * LANES)));

// More than there are under way in a core at once, and no more than AVX2 has registers for. An array of them goes to memory.
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11)
enum { ACCUMULATORS = 12 };
#define START(at) vector sum##at = addend * (float)at;
#define STEP(at) sum##at = sum##at * factor + addend;
// They are wanted in registers after each step.
#define WANTED(at) __asm__ volatile("" : "+v"(sum##at));

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/// GFLOP/s of f32.
double peak_flops(int steps) {
  vector factor, addend;
  for (int lane = 0; lane < LANES; lane++) factor[lane] = 0.999f, addend[lane] = 0.5f;
  EACH(START)
  const double begin = seconds();
  for (int step = 0; step < steps; step++) {
    EACH(STEP)
    EACH(WANTED)
  }
  return 2.0 * LANES * ACCUMULATORS * steps / (seconds() - begin) / 1e9;
}

/// GB/s of reading so many bytes.
double peak_reading(double bytes) {
  const size_t count = (size_t)bytes / sizeof(vector);
  vector *memory = aligned_alloc(64, count * sizeof(vector)), sums[8] = {{0}};
  for (size_t at = 0; at < count; at++) memory[at] = sums[0] + 1.0f;
  const double begin = seconds();
  for (size_t at = 0; at + 8 <= count; at += 8)
    for (int lane = 0; lane < 8; lane++) sums[lane] += memory[at + lane];
  const double taken = seconds() - begin;
  for (int at = 0; at < 8; at++) __asm__ volatile("" : : "v"(sums[at]));
  free(memory);
  return bytes / taken / 1e9;
}
