// LIBXSMM: a kernel that is made for one small shape. It is column-major: C = A·B in rows is Cᵀ = Bᵀ·Aᵀ in columns.

#include <libxsmm.h>
#include "peer.h"

struct product {
  struct peer_call call;
  libxsmm_smmfunction kernel;
  const float *a, *b;
  float *c;
};

// Its kernels have one.
void peer_threads(int count) { (void)count; }

static void run(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  it->kernel(it->b, it->a, it->c);
}

struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays) {
  if (!is(name, "gemm-f32")) return NULL;
  const int m = extents[0], n = extents[1], k = extents[2];
  const float alpha = 1, beta = 0;
  libxsmm_smmfunction kernel = libxsmm_smmdispatch(n, m, k, &n, &k, &n, &alpha, &beta, NULL, NULL);
  if (!kernel) return NULL;
  struct product *it = malloc(sizeof *it);
  *it = (struct product){{.run = run}, kernel, arrays[0], arrays[1], arrays[2]};
  return &it->call;
}
