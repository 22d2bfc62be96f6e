// oneDNN 2.6: its GEMM functions, and primitives in the layouts that they like best. ONEDNN_MAX_CPU_ISA limits the instructions.

#include <dnnl.h>
#include <dnnl_debug.h>
#include <stdint.h>
#include <stdio.h>
#include "peer.h"

// Debian builds it with OpenMP.
void omp_set_num_threads(int);
void peer_threads(int count) { omp_set_num_threads(count); }

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static int is_ready(void) {
  if (engine) return 1;
  return dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
         dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success;
}

// The implementation of the primitive that was opened last; its functions do not say theirs.
static const char *implementation;

const char *peer_chosen(void) {
  static char text[200];
  const char *isa = dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
  snprintf(text, sizeof text, implementation ? "%s, %s" : "%s", isa, implementation);
  return text;
}

// Functions on plain rows.

struct product {
  struct peer_call call;
  int m, n, k;
  const void *a, *b;
  void *c;
};

static void sgemm(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  dnnl_sgemm('N', 'N', it->m, it->n, it->k, 1, it->a, it->k, it->b, it->n, 0, it->c, it->n);
}

// The right side is stored by column.
static void rows(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  dnnl_sgemm('N', 'T', it->m, it->n, it->k, 1, it->a, it->k, it->b, it->k, 0, it->c, it->n);
}

static void gemm_u8s8(struct peer_call *call) {
  const struct product *it = (struct product *)call;
  const int32_t zero = 0;
  dnnl_gemm_u8s8s32('N', 'N', 'F', it->m, it->n, it->k, 1, it->a, it->k, 0, it->b, it->n, 0, 0, it->c, it->n, &zero);
}

static struct peer_call *open_product(peer_step *run, int m, int n, int k, void *const *arrays) {
  struct product *it = malloc(sizeof *it);
  *it = (struct product){{.run = run}, m, n, k, arrays[0], arrays[1], arrays[2]};
  return &it->call;
}

// Primitives.

enum { MOST_ARGUMENTS = 5 };

// An array of the caller: what it is to the primitive, and how it lies.
struct argument {
  int role;
  dnnl_query_t query;
  int index, rank;
  dnnl_dims_t extents;
  dnnl_data_type_t type;
  dnnl_format_tag_t layout;
  void *array;
};

// The primitive's own memory is the caller's where it lies as the primitive likes it.
struct primitive {
  struct peer_call call;
  dnnl_primitive_t primitive;
  int count;
  dnnl_memory_t callers[MOST_ARGUMENTS];
  dnnl_exec_arg_t own[MOST_ARGUMENTS];
};

static void run_primitive(struct peer_call *call) {
  const struct primitive *it = (struct primitive *)call;
  dnnl_primitive_execute(it->primitive, stream, it->count, it->own);
  dnnl_stream_wait(stream);
}

static void reorder(dnnl_memory_t from, dnnl_memory_t to) {
  const dnnl_memory_desc_t *source, *result;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t primitive;
  if (from == to) return;
  dnnl_memory_get_memory_desc(from, &source);
  dnnl_memory_get_memory_desc(to, &result);
  dnnl_reorder_primitive_desc_create(&description, source, engine, result, engine, NULL);
  dnnl_primitive_create(&primitive, description);
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  dnnl_primitive_execute(primitive, stream, 2, arguments);
  dnnl_stream_wait(stream);
  dnnl_primitive_destroy(primitive);
  dnnl_primitive_desc_destroy(description);
}

// The last argument is the result.
static void take_inputs(struct peer_call *call) {
  const struct primitive *it = (struct primitive *)call;
  for (int at = 0; at + 1 < it->count; at++) reorder(it->callers[at], it->own[at].memory);
}

static void give_result(struct peer_call *call) {
  const struct primitive *it = (struct primitive *)call;
  reorder(it->own[it->count - 1].memory, it->callers[it->count - 1]);
}

static void release_primitive(struct peer_call *call) {
  const struct primitive *it = (struct primitive *)call;
  for (int at = 0; at < it->count; at++) {
    if (it->own[at].memory != it->callers[at]) dnnl_memory_destroy(it->own[at].memory);
    dnnl_memory_destroy(it->callers[at]);
  }
  dnnl_primitive_destroy(it->primitive);
}

static dnnl_memory_desc_t described(const struct argument *it, dnnl_format_tag_t layout) {
  dnnl_memory_desc_t description;
  dnnl_memory_desc_init_by_tag(&description, it->rank, it->extents, it->type, layout);
  return description;
}

static dnnl_memory_desc_t as_given(const struct argument *it) { return described(it, it->layout); }
static dnnl_memory_desc_t as_it_likes(const struct argument *it) { return described(it, dnnl_format_tag_any); }

// Takes the description of a primitive, or NULL: there is none.
static struct peer_call *open_primitive(dnnl_primitive_desc_t description, const struct argument *arguments, int count) {
  if (!description) return NULL;
  struct primitive *it = calloc(1, sizeof *it);
  it->call = (struct peer_call){run_primitive, take_inputs, give_result, release_primitive};
  it->count = count;
  dnnl_primitive_create(&it->primitive, description);
  for (int at = 0; at < count; at++) {
    const struct argument *argument = &arguments[at];
    const dnnl_memory_desc_t callers = as_given(argument);
    const dnnl_memory_desc_t *own = dnnl_primitive_desc_query_md(description, argument->query, argument->index);
    dnnl_memory_create(&it->callers[at], &callers, engine, argument->array);
    it->own[at] = (dnnl_exec_arg_t){argument->role, it->callers[at]};
    if (!dnnl_memory_desc_equal(&callers, own)) dnnl_memory_create(&it->own[at].memory, own, engine, DNNL_MEMORY_ALLOCATE);
  }
  static char name[100];
  const char *query = NULL;
  dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, (void *)&query);
  // It ends with the description.
  if (query) snprintf(name, sizeof name, "%s", query), implementation = name;
  dnnl_primitive_desc_destroy(description);
  return &it->call;
}

static dnnl_primitive_desc_t describe(const_dnnl_op_desc_t operation, const_dnnl_primitive_attr_t attributes) {
  dnnl_primitive_desc_t description = NULL;
  const dnnl_status_t status = dnnl_primitive_desc_create(&description, operation, attributes, engine, NULL);
  return status == dnnl_success ? description : NULL;
}

// Epilogue of a product: the function of its sum with a bias, or no function; or a tensor of the result's shape that is
// added.
struct epilogue {
  dnnl_alg_kind_t function;
  int has_bias, has_residual;
};

static dnnl_primitive_attr_t attributes_of(const struct epilogue *epilogue, const dnnl_memory_desc_t *result) {
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t after;
  dnnl_primitive_attr_create(&attributes);
  dnnl_post_ops_create(&after);
  if (epilogue->function != dnnl_alg_kind_undef) dnnl_post_ops_append_eltwise(after, 1, epilogue->function, 0, 0);
  if (epilogue->has_residual) dnnl_post_ops_append_binary(after, dnnl_binary_add, result);
  dnnl_primitive_attr_set_post_ops(attributes, after);
  dnnl_post_ops_destroy(after);
  return attributes;
}

// B lies as the library likes it best. All of it is of one type, but bytes are summed in i32.
static struct peer_call *open_matmul(dnnl_data_type_t type, const double *extents, struct epilogue epilogue,
                                     void *const *arrays) {
  const dnnl_data_type_t sum = type == dnnl_s8 ? dnnl_s32 : type;
  const dnnl_dim_t m = extents[0], n = extents[1], k = extents[2];
  const int has_third = epilogue.has_bias || epilogue.has_residual;
  const struct argument a = {DNNL_ARG_SRC, dnnl_query_src_md, 0, 2, {m, k}, type, dnnl_ab, arrays[0]};
  const struct argument b = {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0, 2, {k, n}, type, dnnl_ab, arrays[1]};
  const struct argument c = {DNNL_ARG_DST, dnnl_query_dst_md, 0, 2, {m, n}, sum, dnnl_ab, arrays[2 + has_third]};
  const struct argument bias = {DNNL_ARG_BIAS, dnnl_query_weights_md, 1, 2, {1, n}, type, dnnl_ab, arrays[2]};
  const int first_binary = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
  // The library cannot be asked about the layout of this argument, so it is laid out as the result.
  const struct argument residual = {first_binary, dnnl_query_dst_md, 0, 2, {m, n}, type, dnnl_ab, arrays[2]};
  const dnnl_memory_desc_t a_rows = as_given(&a), b_any = as_it_likes(&b), c_rows = as_given(&c), d = as_given(&bias);
  dnnl_matmul_desc_t operation;
  dnnl_matmul_desc_init(&operation, &a_rows, &b_any, epilogue.has_bias ? &d : NULL, &c_rows);
  const dnnl_primitive_attr_t attributes = attributes_of(&epilogue, &c_rows);
  const dnnl_primitive_desc_t description = describe(&operation, attributes);
  dnnl_primitive_attr_destroy(attributes);
  const struct argument plain[] = {a, b, c}, longer[] = {a, b, epilogue.has_bias ? bias : residual, c};
  return open_primitive(description, has_third ? longer : plain, has_third ? 4 : 3);
}

static struct peer_call *open_batch(const double *extents, void *const *arrays) {
  const dnnl_dim_t m = extents[0], n = extents[1], k = extents[2], batch = extents[3];
  const struct argument arguments[] = {
      {DNNL_ARG_SRC, dnnl_query_src_md, 0, 3, {batch, m, k}, dnnl_f32, dnnl_abc, arrays[0]},
      {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0, 3, {batch, k, n}, dnnl_f32, dnnl_abc, arrays[1]},
      {DNNL_ARG_DST, dnnl_query_dst_md, 0, 3, {batch, m, n}, dnnl_f32, dnnl_abc, arrays[2]},
  };
  const dnnl_memory_desc_t a = as_given(&arguments[0]), b = as_given(&arguments[1]), c = as_given(&arguments[2]);
  dnnl_matmul_desc_t operation;
  dnnl_matmul_desc_init(&operation, &a, &b, NULL, &c);
  return open_primitive(describe(&operation, NULL), arguments, 3);
}

// All of image, filter and result lie as the library likes them best: what it takes to bring them there is not timed.
static struct peer_call *open_convolution(const double *extents, int is_depthwise, void *const *arrays) {
  const dnnl_dim_t h = extents[0], c = extents[1], f = extents[2], taps = extents[3], stride = extents[4], padding = extents[5];
  const dnnl_dim_t y = (h + 2 * padding - taps) / stride + 1;
  const dnnl_dims_t strides = {stride, stride}, paddings = {padding, padding};
  const struct argument image = {DNNL_ARG_SRC, dnnl_query_src_md, 0, 4, {1, c, h, h}, dnnl_f32, dnnl_nhwc, arrays[0]};
  const struct argument full = {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0, 4, {f, c, taps, taps}, dnnl_f32, dnnl_hwio, arrays[1]};
  const struct argument each = {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0, 5, {c, 1, 1, taps, taps}, dnnl_f32, dnnl_hwigo, arrays[1]};
  const struct argument result = {DNNL_ARG_DST, dnnl_query_dst_md, 0, 4, {1, f, y, y}, dnnl_f32, dnnl_nhwc, arrays[2]};
  const struct argument arguments[] = {image, is_depthwise ? each : full, result};
  const dnnl_memory_desc_t from = as_it_likes(&image), with = as_it_likes(&arguments[1]), to = as_it_likes(&result);
  dnnl_convolution_desc_t operation;
  dnnl_convolution_forward_desc_init(&operation, dnnl_forward_inference, dnnl_convolution_auto, &from, &with, NULL, &to,
                                     strides, paddings, paddings);
  return open_primitive(describe(&operation, NULL), arguments, 3);
}

static struct peer_call *open_softmax(const double *extents, void *const *arrays) {
  const dnnl_dim_t m = extents[0], n = extents[1];
  const struct argument arguments[] = {
      {DNNL_ARG_SRC, dnnl_query_src_md, 0, 2, {m, n}, dnnl_f32, dnnl_ab, arrays[0]},
      {DNNL_ARG_DST, dnnl_query_dst_md, 0, 2, {m, n}, dnnl_f32, dnnl_ab, arrays[1]},
  };
  const dnnl_memory_desc_t rows = as_given(&arguments[0]);
  dnnl_softmax_desc_t operation;
  dnnl_softmax_forward_desc_init(&operation, dnnl_forward_inference, &rows, 1);
  return open_primitive(describe(&operation, NULL), arguments, 2);
}

static struct peer_call *open_layer_norm(const double *extents, void *const *arrays) {
  const dnnl_dim_t m = extents[0], n = extents[1];
  const struct argument arguments[] = {
      {DNNL_ARG_SRC, dnnl_query_src_md, 0, 2, {m, n}, dnnl_f32, dnnl_ab, arrays[0]},
      {DNNL_ARG_SCALE, dnnl_query_weights_md, 0, 1, {n}, dnnl_f32, dnnl_a, arrays[1]},
      {DNNL_ARG_SHIFT, dnnl_query_weights_md, 0, 1, {n}, dnnl_f32, dnnl_a, arrays[2]},
      {DNNL_ARG_DST, dnnl_query_dst_md, 0, 2, {m, n}, dnnl_f32, dnnl_ab, arrays[3]},
  };
  const dnnl_memory_desc_t rows = as_given(&arguments[0]);
  dnnl_layer_normalization_desc_t operation;
  dnnl_layer_normalization_forward_desc_init(&operation, dnnl_forward_inference, &rows, NULL, 1e-5f,
                                             dnnl_use_scale | dnnl_use_shift);
  return open_primitive(describe(&operation, NULL), arguments, 4);
}

struct peer_call *peer_open(const char *name, const double *extents, void *const *arrays) {
  const dnnl_alg_kind_t none = dnnl_alg_kind_undef;
  const int m = extents[0], n = extents[1], k = extents[2];
  if (!is_ready()) return NULL;
  implementation = NULL;
  if (is(name, "gemm-f32")) return open_product(sgemm, m, n, k, arrays);
  if (is(name, "rows-f32")) return open_product(rows, m, n, k, arrays);
  if (is(name, "gemm-u8s8")) return open_product(gemm_u8s8, m, n, k, arrays);
  // A column is a matrix.
  if (is(name, "gemv-f32")) return open_product(sgemm, m, 1, n, arrays);
  if (is(name, "gemm-f32-packed")) return open_matmul(dnnl_f32, extents, (struct epilogue){none}, arrays);
  if (is(name, "batch-f32")) return open_batch(extents, arrays);
  if (is(name, "gemm-s8-packed")) return open_matmul(dnnl_s8, extents, (struct epilogue){none}, arrays);
  if (is(name, "gemm-bf16-packed")) return open_matmul(dnnl_bf16, extents, (struct epilogue){none}, arrays);
  if (is(name, "gemm-bias-relu")) return open_matmul(dnnl_f32, extents, (struct epilogue){dnnl_eltwise_relu, 1}, arrays);
  if (is(name, "gemm-bias-gelu")) return open_matmul(dnnl_f32, extents, (struct epilogue){dnnl_eltwise_gelu_erf, 1}, arrays);
  if (is(name, "gemm-residual")) return open_matmul(dnnl_f32, extents, (struct epilogue){none, 0, 1}, arrays);
  if (is(name, "conv2d-f32")) return open_convolution(extents, 0, arrays);
  if (is(name, "depthwise-f32")) return open_convolution(extents, 1, arrays);
  if (is(name, "softmax-f32")) return open_softmax(extents, arrays);
  if (is(name, "layer-norm-f32")) return open_layer_norm(extents, arrays);
  return NULL;
}
