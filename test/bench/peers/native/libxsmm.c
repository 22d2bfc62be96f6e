// LIBXSMM: a kernel that is made for one small shape, called for each product of a batch. It is column-major: C = A·B in rows
// is Cᵀ = Bᵀ·Aᵀ in columns.

#include <libxsmm.h>
#include "peer.h"

struct product {
  struct peer_call call;
  libxsmm_smmfunction kernel;
  const float *a, *b;
  float *c;
  int m, n, k, batch;
};

// Its kernels have one.
void peer_threads(int count) { (void)count; }

const char *peer_chosen(void) { return libxsmm_get_target_arch(); }

static void run(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  it->kernel(it->b, it->a, it->c);
}

static void run_batch(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  const float *a = it->a, *b = it->b;
  float *c = it->c;
  for (int at = 0; at < it->batch; at++, a += it->m * it->k, b += it->k * it->n, c += it->m * it->n) it->kernel(b, a, c);
}

struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays) {
  const int is_batch = is(name, "batch-f32");
  if (!is_batch && !is(name, "gemm-f32")) return NULL;
  const int m = extents[0], n = extents[1], k = extents[2];
  const float alpha = 1, beta = 0;
  libxsmm_smmfunction kernel = libxsmm_smmdispatch(n, m, k, &n, &k, &n, &alpha, &beta, NULL, NULL);
  if (!kernel) return NULL;
  struct product *it = malloc(sizeof *it);
  *it = (struct product){{.run = is_batch ? run_batch : run}, kernel, arrays[0], arrays[1], arrays[2], m, n, k, 1};
  if (is_batch) it->batch = extents[3];
  return &it->call;
}
