// Loops as one writes them in C, for a compiler to put into vectors: operators whose operands lie near the results in another order, products of few
// rows, filters of images, short sums.

#include <math.h>

#include "peer.h"

struct call {
  struct peer_call base;
  long extents[4];
  void *arrays[4];
};

#define ARRAYS(call)                                                              \
  const long a = ((struct call *)call)->extents[0], b = ((struct call *)call)->extents[1], \
             c = ((struct call *)call)->extents[2];                               \
  void *const *arrays = ((struct call *)call)->arrays;                            \
  (void)a, (void)b, (void)c, (void)arrays

// [a·b pixels, 3 bytes] → [3, a·b], less a mean and times a factor of the channel.
static void planes(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict image = arrays[0];
  const float *restrict mean = arrays[1], *restrict factor = arrays[2];
  float *restrict out = arrays[3];
  for (long channel = 0; channel < 3; channel++)
    for (long pixel = 0; pixel < a * b; pixel++)
      out[channel * a * b + pixel] = ((float)image[pixel * 3 + channel] - mean[channel]) * factor[channel];
}

// The same where the channels stay beside each other.
static void channels(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0];
  const float *restrict mean = arrays[1], *restrict factor = arrays[2];
  float *restrict out = arrays[3];
  for (long pixel = 0; pixel < a * b; pixel++)
    for (long channel = 0; channel < 3; channel++)
      out[pixel * 3 + channel] = (image[pixel * 3 + channel] - mean[channel]) * factor[channel];
}

// [3, a·b] → [a·b pixels, 3], between 0 and 1.
static void pixels(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0];
  float *restrict out = arrays[1];
  for (long pixel = 0; pixel < a * b; pixel++)
    for (long channel = 0; channel < 3; channel++) {
      const float value = image[channel * a * b + pixel];
      out[pixel * 3 + channel] = value < 0 ? 0 : value > 1 ? 1 : value;
    }
}

// a planes of b × c, each element four times, plus what is there already.
static void twice(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict small = arrays[0], *restrict large = arrays[1];
  float *restrict out = arrays[2];
  for (long plane = 0; plane < a; plane++)
    for (long y = 0; y < 2 * b; y++)
      for (long x = 0; x < 2 * c; x++) {
        const long at = (plane * 2 * b + y) * 2 * c + x;
        out[at] = small[(plane * b + y / 2) * c + x / 2] + large[at];
      }
}

static void mono(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict sound = arrays[0];
  float *restrict out = arrays[1];
  for (long at = 0; at < a; at++) out[at] = (sound[2 * at] + sound[2 * at + 1]) * 0.5f;
}

static void magnitudes(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict numbers = arrays[0];
  float *restrict out = arrays[1];
  for (long at = 0; at < a; at++) {
    const float re = numbers[2 * at], im = numbers[2 * at + 1];
    out[at] = sqrtf(re * re + im * im);
  }
}

static void complex_product(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict left = arrays[0], *restrict right = arrays[1];
  float *restrict out = arrays[2];
  for (long at = 0; at < a; at++) {
    const float re = left[2 * at], im = left[2 * at + 1], re2 = right[2 * at], im2 = right[2 * at + 1];
    out[2 * at] = re * re2 - im * im2;
    out[2 * at + 1] = re * im2 + im * re2;
  }
}

// An image of a × b pixels from right to left, half as bright.
static void mirror(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0];
  float *restrict out = arrays[1];
  for (long y = 0; y < a; y++)
    for (long x = 0; x < b; x++)
      for (long channel = 0; channel < 3; channel++)
        out[(y * b + x) * 3 + channel] = image[(y * b + b - 1 - x) * 3 + channel] * 0.5f;
}

// Brightness of each pixel, color of each four of them → pixels of three channels.
static void yuv(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict bright = arrays[0], *restrict blue = arrays[1], *restrict red = arrays[2];
  float *restrict out = arrays[3];
  for (long y = 0; y < a; y++)
    for (long x = 0; x < b; x++) {
      const long four = (y / 2) * (b / 2) + x / 2;
      const float l = bright[y * b + x], u = (float)blue[four] - 128, v = (float)red[four] - 128;
      float *pixel = out + (y * b + x) * 3;
      pixel[0] = l + v * 1.402f;
      pixel[1] = l - u * 0.344f - v * 0.714f;
      pixel[2] = l + u * 1.772f;
    }
}

// Each of b channels of a pixel over another image by the opacity of its own, the last of them.
static void over(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict front = arrays[0], *restrict back = arrays[1];
  float *restrict out = arrays[2];
  for (long pixel = 0; pixel < a; pixel++)
    for (long channel = 0; channel < b; channel++) {
      const long at = pixel * b + channel;
      out[at] = front[at] + back[at] * (1 - front[pixel * b + b - 1]);
    }
}

static void cross(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict left = arrays[0], *restrict right = arrays[1];
  float *restrict out = arrays[2];
  for (long at = 0; at < a; at++) {
    const float *u = left + 3 * at, *v = right + 3 * at;
    out[3 * at] = u[1] * v[2] - u[2] * v[1];
    out[3 * at + 1] = u[2] * v[0] - u[0] * v[2];
    out[3 * at + 2] = u[0] * v[1] - u[1] * v[0];
  }
}

static void directions(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict vectors = arrays[0];
  float *restrict out = arrays[1];
  for (long at = 0; at < a; at++) {
    const float *v = vectors + 3 * at;
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + 1);
    for (long axis = 0; axis < 3; axis++) out[3 * at + axis] = v[axis] / length;
  }
}

// a rows times b rows of c weights each.
static void rows(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict left = arrays[0], *restrict weights = arrays[1];
  float *restrict out = arrays[2];
  for (long i = 0; i < a; i++)
    for (long j = 0; j < b; j++) {
      float sum = 0;
      for (long k = 0; k < c; k++) sum += left[i * c + k] * weights[j * c + k];
      out[i * b + j] = sum;
    }
}

// The same with weights in bytes, and a scale for each group of 32.
static void rows_q8(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict left = arrays[0], *restrict scale = arrays[2];
  const signed char *restrict weights = arrays[1];
  float *restrict out = arrays[3];
  for (long i = 0; i < a; i++)
    for (long j = 0; j < b; j++) {
      float sum = 0;
      for (long group = 0; group < c / 32; group++) {
        float part = 0;
        for (long k = 32 * group; k < 32 * group + 32; k++) part += left[i * c + k] * weights[j * c + k];
        sum += part * scale[j * (c / 32) + group];
      }
      out[i * b + j] = sum;
    }
}

// The same with two weights to a byte, each less 8.
static void rows_q4(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict left = arrays[0], *restrict scale = arrays[2];
  const unsigned char *restrict weights = arrays[1];
  float *restrict out = arrays[3];
  for (long i = 0; i < a; i++)
    for (long j = 0; j < b; j++) {
      float sum = 0;
      for (long group = 0; group < c / 32; group++) {
        float part = 0;
        for (long k = 16 * group; k < 16 * group + 16; k++) {
          const int both = weights[j * (c / 2) + k];
          part += left[i * c + 2 * k] * (both % 16 - 8) + left[i * c + 2 * k + 1] * (both / 16 - 8);
        }
        sum += part * scale[j * (c / 32) + group];
      }
      out[i * b + j] = sum;
    }
}

// What the first pass of a filter leaves for the second.
static float passed[260 * 256 * 3 > 516 * 512 ? 260 * 256 * 3 : 516 * 512];
static int passed_whole[260 * 256 * 3];

#define FIVE(at, step) (at[0] + 4 * at[step] + 6 * at[2 * (step)] + 4 * at[3 * (step)] + at[4 * (step)])

// [a + 4, b + 4] → [a, b], along rows and then along columns.
static void blur(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0];
  float *restrict out = arrays[1];
  for (long y = 0; y < a + 4; y++)
    for (long x = 0; x < b; x++) {
      const float *at = image + y * (b + 4) + x;
      passed[y * b + x] = FIVE(at, 1);
    }
  for (long y = 0; y < a; y++)
    for (long x = 0; x < b; x++) {
      const float *at = passed + y * b + x;
      out[y * b + x] = FIVE(at, b) * (1.0f / 256);
    }
}

// The same of pixels of three bytes, rounded.
static void blur_bytes(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict image = arrays[0];
  unsigned char *restrict out = arrays[1];
  for (long y = 0; y < a + 4; y++)
    for (long x = 0; x < b * 3; x++) {
      const unsigned char *at = image + y * (b + 4) * 3 + x;
      passed_whole[y * b * 3 + x] = FIVE(at, 3);
    }
  for (long y = 0; y < a; y++)
    for (long x = 0; x < b * 3; x++) {
      const int *at = passed_whole + y * b * 3 + x;
      out[y * b * 3 + x] = (FIVE(at, b * 3) + 128) >> 8;
    }
}

// Pixels of three bytes → their brightness.
static void gray(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict image = arrays[0];
  unsigned char *restrict out = arrays[1];
  for (long at = 0; at < a * b; at++) out[at] = (image[3 * at] * 77 + image[3 * at + 1] * 150 + image[3 * at + 2] * 29) >> 8;
}

// Bytes of two images, mixed by those of a third.
static void mix(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict front = arrays[0], *restrict back = arrays[1], *restrict alpha = arrays[2];
  unsigned char *restrict out = arrays[3];
  for (long at = 0; at < a * b; at++) out[at] = (front[at] * alpha[at] + back[at] * (255 - alpha[at]) + 127) / 255;
}

// [a + 2, b + 2] → [a, b], the sizes of both slopes added up.
static void slopes(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict image = arrays[0];
  unsigned char *restrict out = arrays[1];
  const long w = b + 2;
  for (long y = 0; y < a; y++)
    for (long x = 0; x < b; x++) {
      const unsigned char *p = image + y * w + x;
      const int across = p[2] + 2 * p[w + 2] + p[2 * w + 2] - p[0] - 2 * p[w] - p[2 * w];
      const int down = p[2 * w] + 2 * p[2 * w + 1] + p[2 * w + 2] - p[0] - 2 * p[1] - p[2];
      const int size = (across < 0 ? -across : across) + (down < 0 ? -down : down);
      out[y * b + x] = size > 255 ? 255 : size;
    }
}

// [c, a, b] → [a, b], the mean of c frames of bytes.
static void frames(struct peer_call *call) {
  ARRAYS(call);
  const unsigned char *restrict image = arrays[0];
  unsigned char *restrict out = arrays[1];
  for (long at = 0; at < a * b; at++) {
    int sum = 0;
    for (long frame = 0; frame < c; frame++) sum += image[frame * a * b + at];
    out[at] = sum / c;
  }
}

#include "short-loops.h"

static const struct {
  const char *name;
  peer_step *run;
  int arrays;
} calls[] = {
    {"planes-u8", planes, 4},       {"channels-f32", channels, 4}, {"pixels-f32", pixels, 2},
    {"twice-f32", twice, 3},        {"mono-f32", mono, 2},         {"magnitudes-f32", magnitudes, 2},
    {"complex-product-f32", complex_product, 3},                   {"mirror-f32", mirror, 2},
    {"yuv-u8", yuv, 4},             {"over-f32", over, 3},         {"cross-f32", cross, 3},
    {"directions-f32", directions, 2},
    {"rows-f32", rows, 3},          {"rows-q8", rows_q8, 4},       {"rows-q4", rows_q4, 4},
    {"blur-f32", blur, 2},          {"blur-u8", blur_bytes, 2},    {"gray-u8", gray, 2},
    {"mix-u8", mix, 4},             {"slopes-u8", slopes, 2},      {"frames-u8", frames, 2},
    {"distances-f32", distances, 3},                               {"colors-f32", colors, 3},
    {"moved-f32", moved, 3},        {"matrices-f32", matrices, 3}, {"greatest-f32", greatest, 2},
    {"pool-f32", pool, 2},          {"cosines-f32", cosines, 3},   {"by-channel-f32", by_channel, 3},
};

struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays) {
  for (size_t at = 0; at < sizeof calls / sizeof *calls; at++) {
    if (!is(name, calls[at].name)) continue;
    struct call *call = calloc(1, sizeof *call);
    call->base.run = calls[at].run;
    for (int i = 0; i < 3; i++) call->extents[i] = (long)extents[i];
    for (int i = 0; i < calls[at].arrays; i++) call->arrays[i] = arrays[i];
    return &call->base;
  }
  return NULL;
}

void peer_threads(int count) { (void)count; }

const char *peer_chosen(void) { return NULL; }
