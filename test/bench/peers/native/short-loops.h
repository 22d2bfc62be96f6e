// Loops that add up few terms, or take the greatest of few: the operators of suites/short-sums.ts. They are a part of loops.c.

// Points of three coordinates: a × b distances.
static void distances(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict from = arrays[0], *restrict to = arrays[1];
  float *restrict out = arrays[2];
  for (long i = 0; i < a; i++)
    for (long j = 0; j < b; j++) {
      float square = 0;
      for (long k = 0; k < 3; k++) {
        const float step = from[3 * i + k] - to[3 * j + k];
        square += step * step;
      }
      out[i * b + j] = sqrtf(square);
    }
}

// Pixels of three channels, each a sum of all three times a row of a matrix.
static void colors(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0], *restrict matrix = arrays[1];
  float *restrict out = arrays[2];
  for (long pixel = 0; pixel < a * b; pixel++)
    for (long channel = 0; channel < 3; channel++) {
      float sum = 0;
      for (long d = 0; d < 3; d++) sum += matrix[3 * channel + d] * image[3 * pixel + d];
      out[3 * pixel + channel] = sum;
    }
}

// The same of points of four coordinates.
static void moved(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict points = arrays[0], *restrict matrix = arrays[1];
  float *restrict out = arrays[2];
  for (long i = 0; i < a; i++)
    for (long r = 0; r < 4; r++) {
      float sum = 0;
      for (long k = 0; k < 4; k++) sum += matrix[4 * r + k] * points[4 * i + k];
      out[4 * i + r] = sum;
    }
}

// Products of a pairs of 3 × 3 matrices.
static void matrices(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict left = arrays[0], *restrict right = arrays[1];
  float *restrict out = arrays[2];
  for (long n = 0; n < a; n++)
    for (long i = 0; i < 3; i++)
      for (long j = 0; j < 3; j++) {
        float sum = 0;
        for (long k = 0; k < 3; k++) sum += left[9 * n + 3 * i + k] * right[9 * n + 3 * k + j];
        out[9 * n + 3 * i + j] = sum;
      }
}

// The greatest of each row of eight.
static void greatest(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict rows = arrays[0];
  float *restrict out = arrays[1];
  for (long i = 0; i < a; i++) {
    float most = rows[8 * i];
    for (long k = 1; k < 8; k++) most = rows[8 * i + k] > most ? rows[8 * i + k] : most;
    out[i] = most;
  }
}

// [2a, 2b, c] → [a, b, c], the greatest of each 2 × 2.
static void pool(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0];
  float *restrict out = arrays[1];
  for (long y = 0; y < a; y++)
    for (long x = 0; x < b; x++) {
      const float *upper = image + (2 * y * 2 * b + 2 * x) * c, *lower = upper + 2 * b * c;
      for (long at = 0; at < c; at++) {
        const float high = upper[at] > upper[at + c] ? upper[at] : upper[at + c];
        const float low = lower[at] > lower[at + c] ? lower[at] : lower[at + c];
        out[(y * b + x) * c + at] = high > low ? high : low;
      }
    }
}

// Rows in blocks of eight elements, each block times a matrix.
static void cosines(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0], *restrict basis = arrays[1];
  float *restrict out = arrays[2];
  for (long block = 0; block < a * b; block += 8)
    for (long at = 0; at < 8; at++) {
      float sum = 0;
      for (long k = 0; k < 8; k++) sum += image[block + k] * basis[8 * at + k];
      out[block + at] = sum;
    }
}

// [a, b + 2, c + 2] → [a, b, c], each channel by 3 × 3 taps of its own.
static void by_channel(struct peer_call *call) {
  ARRAYS(call);
  const float *restrict image = arrays[0], *restrict taps = arrays[1];
  float *restrict out = arrays[2];
  const long w = c + 2;
  for (long channel = 0; channel < a; channel++)
    for (long y = 0; y < b; y++)
      for (long x = 0; x < c; x++) {
        const float *p = image + (channel * (b + 2) + y) * w + x, *t = taps + 9 * channel;
        out[(channel * b + y) * c + x] = p[0] * t[0] + p[1] * t[1] + p[2] * t[2] + p[w] * t[3] + p[w + 1] * t[4] +
                                         p[w + 2] * t[5] + p[2 * w] * t[6] + p[2 * w + 1] * t[7] + p[2 * w + 2] * t[8];
      }
}
