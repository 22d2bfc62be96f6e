// OpenBLAS and BLIS through the interface that they share, and what a program does beside a product that has nothing else: a
// loop over its result.

#include <math.h>
#include "peer.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };

void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_sgemv(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

// SET_THREADS and INTEGER are options of the compiler: the one name that is not shared.
void SET_THREADS(INTEGER);
void peer_threads(int count) { SET_THREADS(count); }

#ifdef IS_BLIS
int bli_arch_query_id(void);
const char *bli_arch_string(int);
const char *peer_chosen(void) { return bli_arch_string(bli_arch_query_id()); }
#else
const char *openblas_get_corename(void);
const char *peer_chosen(void) { return openblas_get_corename(); }
#endif

struct product {
  struct peer_call call;
  // The last is of a second product, or how many products there are.
  int m, n, k, l;
  const float *a, *b;
  // Bias, residual, or the right side of a second product.
  const float *d;
  float *c, *f;
};

static void multiply(const struct product *it, float beta) {
  cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, it->m, it->n, it->k, 1, it->a, it->k, it->b, it->n, beta, it->c, it->n);
}

static void gemm(struct peer_call *call) { multiply((struct product *)call, 0); }

// The right side is stored by column.
static void rows(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, it->m, it->n, it->k, 1, it->a, it->k, it->b, it->k, 0, it->c, it->n);
}

static void gemm_batch(struct peer_call *call) {
  const struct product *all = (struct product *)call;
  struct product one = *all;
  for (int at = 0; at < all->l; at++) {
    multiply(&one, 0);
    one.a += one.m * one.k, one.b += one.k * one.n, one.c += one.m * one.n;
  }
}

static void gemv(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  cblas_sgemv(ROW_MAJOR, NO_TRANSPOSE, it->m, it->k, 1, it->a, it->k, it->b, 1, 0, it->c, 1);
}

static void gemm_residual(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  memcpy(it->c, it->d, (size_t)it->m * it->n * sizeof *it->c);
  multiply(it, 1);
}

static void gemm_bias_relu(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  multiply(it, 0);
  for (int i = 0; i < it->m; i++)
    for (int j = 0; j < it->n; j++) {
      float *x = &it->c[(size_t)i * it->n + j], sum = *x + it->d[j];
      *x = sum > 0 ? sum : 0;
    }
}

static void gemm_bias_gelu(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  multiply(it, 0);
  for (int i = 0; i < it->m; i++)
    for (int j = 0; j < it->n; j++) {
      float *x = &it->c[(size_t)i * it->n + j], sum = *x + it->d[j];
      *x = sum * 0.5f * (1 + erff(sum * 0.70710678f));
    }
}

static void gemm_exp_gemm(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  multiply(it, 0);
  for (size_t at = 0; at < (size_t)it->m * it->n; at++) it->c[at] = expf(it->c[at]);
  cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, it->m, it->l, it->n, 1, it->c, it->n, it->d, it->l, 0, it->f, it->l);
}

static void release_between(struct peer_call *call) { free(((struct product *)call)->c); }

static peer_step *stepOf(const char *name) {
  if (is(name, "gemm-f32") || is(name, "gemm-f32-packed")) return gemm;
  if (is(name, "rows-f32")) return rows;
  if (is(name, "batch-f32")) return gemm_batch;
  if (is(name, "gemm-residual")) return gemm_residual;
  if (is(name, "gemm-bias-relu")) return gemm_bias_relu;
  if (is(name, "gemm-bias-gelu")) return gemm_bias_gelu;
  if (is(name, "gemm-exp-gemm")) return gemm_exp_gemm;
  return is(name, "gemv-f32") ? gemv : NULL;
}

struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays) {
  peer_step *run = stepOf(name);
  if (!run) return NULL;
  struct product *it = calloc(1, sizeof *it);
  it->call.run = run;
  it->a = arrays[0];
  it->b = arrays[1];
  it->m = extents[0];
  if (run == gemv) return it->k = extents[1], it->c = arrays[2], &it->call;
  it->n = extents[1];
  it->k = extents[2];
  if (run == gemm || run == rows) return it->c = arrays[2], &it->call;
  if (run == gemm_batch) return it->l = extents[3], it->c = arrays[2], &it->call;
  it->d = arrays[2];
  if (run != gemm_exp_gemm) return it->c = arrays[3], &it->call;
  it->l = extents[3];
  it->f = arrays[3];
  it->c = aligned_alloc(64, ((size_t)it->m * it->n * sizeof *it->c + 63) / 64 * 64);
  it->call.release = release_between;
  return &it->call;
}
