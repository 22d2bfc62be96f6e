// The instructions on tiles in plain C, under the names that generated kernels give them: of Intel's manual (volume 2),
// with tiles that are all whole. What comes before the configuration, or after its release, is an illegal instruction.

#ifndef UK_SOFT_TILES
#define UK_SOFT_TILES

typedef struct {
  char bytes[1024];
} __attribute__((may_alias)) uk_tile;

// Each thread has tiles of its own.
static __thread uk_tile uk_tiles[8];
static __thread int uk_configured;

static inline uk_tile *uk_tile_at(int at) {
  if (!uk_configured) __builtin_trap();
  return &uk_tiles[at];
}

static inline void uk_tile_configure(void) {
  if (uk_configured) __builtin_trap();
  uk_configured = 1;
  __builtin_memset(uk_tiles, 0, sizeof uk_tiles);
}

// The tiles' contents are lost.
static inline void uk_tile_release(void) {
  uk_configured = 0;
  __builtin_memset(uk_tiles, 0xff, sizeof uk_tiles);
}

#define uk_tile_zero(to) __builtin_memset(uk_tile_at(to), 0, sizeof(uk_tile))
#define uk_tile_load(to, from, bytes) \
  for (int row = 0; row < 16; row++) __builtin_memcpy((char *)uk_tile_at(to) + row * 64, (const char *)(from) + row * (bytes), 64)
#define uk_tile_store(from, to, bytes) \
  for (int row = 0; row < 16; row++) __builtin_memcpy((char *)(to) + row * (bytes), (char *)uk_tile_at(from) + row * 64, 64)

#define UK_SOFT_BYTES(name, left, right)                                                                     \
  static inline void uk_soft_##name(int *c, const left *a, const right *b) {                                   \
    for (int m = 0; m < 16; m++)                                                                             \
      for (int k = 0; k < 16; k++)                                                                           \
        for (int n = 0; n < 16; n++)                                                                         \
          for (int i = 0; i < 4; i++)                                                                        \
            c[m * 16 + n] = (int)((unsigned)c[m * 16 + n] +                                                  \
                                  (unsigned)((int)a[m * 64 + k * 4 + i] * (int)b[k * 64 + n * 4 + i]));      \
  }
UK_SOFT_BYTES(tdpbssd, signed char, signed char)
UK_SOFT_BYTES(tdpbsud, signed char, unsigned char)
UK_SOFT_BYTES(tdpbusd, unsigned char, signed char)
UK_SOFT_BYTES(tdpbuud, unsigned char, unsigned char)

// Denormals are zeros, read and written.
static inline float uk_soft_flush(float x) {
  return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}

static inline float uk_soft_bf16(unsigned short bits) {
  union {
    unsigned bits;
    float value;
  } wide = {(unsigned)bits << 16};
  return uk_soft_flush(wide.value);
}

// Each of a pair has a sum of its own, which products join with one rounding; the two are added at the end.
static inline void uk_soft_tdpbf16ps(float *c, const unsigned short *a, const unsigned short *b) {
  for (int m = 0; m < 16; m++)
    for (int n = 0; n < 16; n++) {
      float sums[2] = {0, 0};
      for (int k = 0; k < 16; k++)
        for (int i = 0; i < 2; i++)
          sums[i] = uk_soft_flush(__builtin_fmaf(uk_soft_bf16(a[m * 32 + k * 2 + i]),
                                                 uk_soft_bf16(b[k * 32 + n * 2 + i]), sums[i]));
      const float both = uk_soft_flush(sums[0] + sums[1]);
      c[m * 16 + n] = uk_soft_flush(uk_soft_flush(c[m * 16 + n]) + both);
    }
}

#define uk_soft(name, c, a, b) uk_soft_##name((void *)uk_tile_at(c), (void *)uk_tile_at(a), (void *)uk_tile_at(b))
#define uk_tdpbssd(c, a, b) uk_soft(tdpbssd, c, a, b)
#define uk_tdpbsud(c, a, b) uk_soft(tdpbsud, c, a, b)
#define uk_tdpbusd(c, a, b) uk_soft(tdpbusd, c, a, b)
#define uk_tdpbuud(c, a, b) uk_soft(tdpbuud, c, a, b)
#define uk_tdpbf16ps(c, a, b) uk_soft(tdpbf16ps, c, a, b)

#define UK_TILE
#define UK_TILE_CONFIGURE
#define UK_TILE_RELEASE
#define UK_TILE_ZERO
#define UK_TILE_LOAD
#define UK_TILE_STORE
#define UK_TDPBSSD
#define UK_TDPBSUD
#define UK_TDPBUSD
#define UK_TDPBUUD
#define UK_TDPBF16PS

#endif
