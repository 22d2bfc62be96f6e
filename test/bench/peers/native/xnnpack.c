// XNNPACK: operators whose weights are laid out when they are made, before the clock starts.

#include <math.h>
#include <stdint.h>
#include <xnnpack.h>
#include "peer.h"

static pthreadpool_t pool;
void peer_threads(int count) { pool = count > 1 ? pthreadpool_create(count) : NULL; }

// It has no function for it.
const char *peer_chosen(void) { return NULL; }

struct layer {
  struct peer_call call;
  xnn_operator_t operator;
  // Extents of a product, or of rows.
  size_t m, n, k;
  // Extents of a convolution of square images.
  size_t extent, channels, filters, taps, stride, padding;
  const float *input, *weights;
  float *output;
  // The weights as the library takes them, where that is another order.
  float *reordered;
};

static void run(struct peer_call *call) { xnn_run_operator(((struct layer *)call)->operator, pool); }

static void drop(struct peer_call *call) {
  struct layer *it = (struct layer *)call;
  xnn_delete_operator(it->operator);
  free(it->reordered);
  it->reordered = NULL;
}

static void make_product(struct peer_call *call) {
  struct layer *it = (struct layer *)call;
  xnn_create_fully_connected_nc_f32(it->k, it->n, it->k, it->n, it->weights, NULL, -INFINITY, INFINITY,
                                    XNN_FLAG_TRANSPOSE_WEIGHTS, &it->operator);
  xnn_setup_fully_connected_nc_f32(it->operator, it->m, it->input, it->output, pool);
}

static void make_softmax(struct peer_call *call) {
  struct layer *it = (struct layer *)call;
  xnn_create_softmax_nc_f32(it->n, it->n, it->n, 0, &it->operator);
  xnn_setup_softmax_nc_f32(it->operator, it->m, it->input, it->output, pool);
}

// Filters come as [tap][channel][filter].
static float *filters_first(const struct layer *it) {
  const size_t depth = it->taps * it->taps * it->channels;
  float *result = malloc(depth * it->filters * sizeof *result);
  for (size_t f = 0; f < it->filters; f++)
    for (size_t at = 0; at < depth; at++) result[f * depth + at] = it->weights[at * it->filters + f];
  return result;
}

static void make_convolution_of(struct layer *it, int is_depthwise) {
  const uint32_t p = it->padding, taps = it->taps, stride = it->stride;
  const size_t groups = is_depthwise ? it->channels : 1, in = is_depthwise ? 1 : it->channels;
  it->reordered = is_depthwise ? NULL : filters_first(it);
  xnn_create_convolution2d_nhwc_f32(p, p, p, p, taps, taps, stride, stride, 1, 1, groups, in, it->filters / groups,
                                    it->channels, it->filters, is_depthwise ? it->weights : it->reordered, NULL, -INFINITY,
                                    INFINITY, is_depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0, &it->operator);
  xnn_setup_convolution2d_nhwc_f32(it->operator, 1, it->extent, it->extent, it->input, it->output, pool);
}

static void make_convolution(struct peer_call *call) { make_convolution_of((struct layer *)call, 0); }
static void make_depthwise(struct peer_call *call) { make_convolution_of((struct layer *)call, 1); }

struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays) {
  const int is_rows = is(name, "softmax-f32"), is_product = is(name, "gemm-f32-packed");
  const int is_depthwise = is(name, "depthwise-f32");
  if (!is_rows && !is_product && !is_depthwise && !is(name, "conv2d-f32")) return NULL;
  if (xnn_initialize(NULL) != xnn_status_success) return NULL;
  struct layer *it = calloc(1, sizeof *it);
  peer_step *make = is_rows ? make_softmax : is_product ? make_product : is_depthwise ? make_depthwise : make_convolution;
  it->call = (struct peer_call){run, make, drop, NULL};
  it->input = arrays[0];
  it->weights = arrays[1];
  it->output = arrays[is_rows ? 1 : 2];
  if (is_rows || is_product) {
    it->m = extents[0];
    it->n = extents[1];
    it->k = is_product ? extents[2] : 0;
    return &it->call;
  }
  it->extent = extents[0];
  it->channels = extents[1];
  it->filters = extents[2];
  it->taps = extents[3];
  it->stride = extents[4];
  it->padding = extents[5];
  return &it->call;
}
