// The functions that generated CUDA C may call; each is printed only where it is used.

const helpers = {
  uk_f16_to_f32: `__device__ __forceinline__ float uk_f16_to_f32(unsigned short x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }`,
  uk_f32_to_f16: `__device__ __forceinline__ unsigned short uk_f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }`,
  uk_bf16_to_f32: `__device__ __forceinline__ float uk_bf16_to_f32(unsigned short x) { return __uint_as_float((unsigned)x << 16); }`,
  uk_f32_to_bf16: `__device__ __forceinline__ unsigned short uk_f32_to_bf16(float x) { unsigned short y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }`,
  uk_f64_to_i32: `__device__ __forceinline__ int uk_f64_to_i32(double x) { return x == x ? __double2int_rz(x) : 0; }`,
  uk_f64_to_i64: `__device__ __forceinline__ long long uk_f64_to_i64(double x) { return x == x ? __double2ll_rz(x) : 0; }`,
  uk_f32_to_i64: `__device__ __forceinline__ long long uk_f32_to_i64(float x) { return x == x ? __float2ll_rz(x) : 0; }`,
  uk_min: `template <class T> __device__ __forceinline__ T uk_min(T a, T b) { return b < a ? b : a; }`,
  uk_max: `template <class T> __device__ __forceinline__ T uk_max(T a, T b) { return a < b ? b : a; }`,
  uk_floor_div: `template <class T> __device__ __forceinline__ T uk_floor_div(T a, T b) { T q = a / b; return q - (T)(q * b != a && (a < 0) != (b < 0)); }`,
  uk_floor_mod: `template <class T> __device__ __forceinline__ T uk_floor_mod(T a, T b) { T r = a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r; }`,
  uk_shared: `__device__ __forceinline__ unsigned uk_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }`,
  uk_copy16: `__device__ __forceinline__ void uk_copy16(unsigned to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory"); }`,
  uk_map: `struct alignas(64) uk_map { unsigned long long words[16]; };`,
  uk_begin_slot: `__device__ __forceinline__ void uk_begin_slot(unsigned slot, unsigned arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.proxy.async.shared::cta;" :: "r"(slot), "r"(arrivals) : "memory"); }`,
  uk_box: `__device__ __forceinline__ void uk_box(unsigned to, const uk_map *map, int column, int row, unsigned slot, unsigned bytes) { asm volatile("mbarrier.expect_tx.shared::cta.b64 [%0], %1;" :: "r"(slot), "r"(bytes) : "memory"); asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(to), "l"(map), "r"(column), "r"(row), "r"(slot) : "memory"); }`,
  uk_shared_box: `__device__ __forceinline__ void uk_shared_box(unsigned to, const uk_map *map, int column, int row, unsigned slot, unsigned bytes, unsigned short groups) { asm volatile("mbarrier.expect_tx.shared::cta.b64 [%0], %1;" :: "r"(slot), "r"(bytes) : "memory"); asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" :: "r"(to), "l"(map), "r"(column), "r"(row), "r"(slot), "h"(groups) : "memory"); }`,
  uk_publish_slots: `__device__ __forceinline__ void uk_publish_slots() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }`,
  uk_meet_cluster: `__device__ __forceinline__ void uk_meet_cluster() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }`,
  uk_arrive: `__device__ __forceinline__ void uk_arrive(unsigned slot) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(slot) : "memory"); }`,
  uk_arrive_at: `__device__ __forceinline__ void uk_arrive_at(unsigned slot, unsigned group) { asm volatile("{ .reg .b32 at; mapa.shared::cluster.u32 at, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [at]; }" :: "r"(slot), "r"(group) : "memory"); }`,
  uk_await_cluster: `__device__ __forceinline__ void uk_await_cluster(unsigned slot, unsigned phase) { unsigned done; do { asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(slot), "r"(phase) : "memory"); } while (!done); }`,
  uk_await: `__device__ __forceinline__ void uk_await(unsigned slot, unsigned phase) { unsigned done; do { asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(slot), "r"(phase) : "memory"); } while (!done); }`,
  uk_load_rows: `__device__ __forceinline__ void uk_load_rows(unsigned (&r)[4], unsigned at) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory"); }`,
  uk_load_columns: `__device__ __forceinline__ void uk_load_columns(unsigned (&r)[4], unsigned at) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory"); }`,
  uk_product_f16: product("f16", "f16"),
  uk_product_bf16: product("bf16", "bf16"),
  uk_product_s8: product("s8", "s8"),
  uk_product_u8: product("u8", "u8"),
  uk_product_u8_s8: product("u8", "s8"),
  uk_product_s8_u8: product("s8", "u8"),
  uk_swizzle: `__device__ __forceinline__ int uk_swizzle(int i) { return i ^ (i >> 3 & 56); }`,
  uk_swizzle_bytes: `__device__ __forceinline__ int uk_swizzle_bytes(int i) { return i ^ (i >> 3 & 112); }`,
  uk_panel: `__device__ __forceinline__ unsigned long long uk_panel(unsigned at, unsigned apart) { return (unsigned long long)((at & 0x3ffff) >> 4) | (unsigned long long)(apart >> 4) << 16 | 64ull << 32 | 1ull << 62; }`,
} as const;

/**
 * D = C + A·B for 64 rows by any columns: the operands are descriptors of core matrices. Halves are multiplied by 1, and of B they lie along the
 * columns; bytes lie along the depth always.
 */
function groupProduct(operands: string, columns: number): string {
  const count = columns / 2;
  const numbers = Array.from({ length: count }, (_, at) => at);
  const areHalves = operands.endsWith("f16");
  const [left, right = left] = operands.split("_");
  const [type, constraint, shape, flags] = areHalves
    ? (["float", "+f", `k16.f32.${left}.${right}`, "1, 1, 1, 0, 1"] as const)
    : (["int", "+r", `k32.s32.${left}.${right}`, "1"] as const);
  const sums = numbers.map((at) => `"${constraint}"(c[${at}])`).join(", ");
  const registers = numbers.map((at) => `%${at}`).join(", ");
  const text = `wgmma.mma_async.sync.aligned.m64n${columns}${shape} {${registers}}, %${count}, %${count + 1}, ${flags};`;
  return `__device__ __forceinline__ void ${groupProductName(operands, columns)}(${type} (&c)[${count}], unsigned long long a, unsigned long long b) { asm volatile("${text}" : ${sums} : "l"(a), "l"(b)); }`;
}

export const groupProductName = (type: string, columns: number): `uk_products_${string}` =>
  `uk_products_${type}_${columns}`;

/**
 * D = C + A·B for 16×16 tiles: two instructions, for the left and the right half of the columns. Of halves a half of B lies in words that follow
 * each other; bytes were loaded by their columns, eight after eight, and so are their words.
 */
function product(left: string, right: string): string {
  const areHalves = left.endsWith("f16");
  const [type, constraint, shape, words] = areHalves
    ? (["float", "+f", `m16n8k16.row.col.f32.${left}.${right}.f32`, [0, 1, 2, 3]] as const)
    : (["int", "+r", `m16n8k32.row.col.s32.${left}.${right}.s32`, [0, 2, 1, 3]] as const);
  const name = left === right ? left : `${left}_${right}`;
  const sums = [0, 1, 2, 3].map((at) => `"${constraint}"(c[${at}])`).join(", ");
  const inputs = [0, 1, 2, 3].map((at) => `"r"(a[${at}])`).join(", ");
  const text = `mma.sync.aligned.${shape} {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};`;
  const half = (at: number): string =>
    `uk_mma_${name}(c + ${4 * at}, a, b[${words[2 * at]}], b[${words[2 * at + 1]}]);`;
  return [
    `__device__ __forceinline__ void uk_mma_${name}(${type} *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { asm volatile("${text}" : ${sums} : ${inputs}, "r"(b0), "r"(b1)); }`,
    `__device__ __forceinline__ void uk_product_${name}(${type} (&c)[8], const unsigned (&a)[4], const unsigned (&b)[4]) { ${half(0)} ${half(1)} }`,
  ].join("\n");
}

export type HelperName = keyof typeof helpers | `uk_products_${string}`;

/** Returns the texts of helpers, in the order of the table. */
export function helperTexts(used: ReadonlySet<HelperName>): readonly string[] {
  const known = (Object.keys(helpers) as (keyof typeof helpers)[]).filter((name) => used.has(name));
  const products = [...used].filter((name) => name.startsWith("uk_products_")).sort();
  return [...known.map((name) => helpers[name]), ...products.map(productsNamed)];
}

function productsNamed(name: string): string {
  const [, operands, columns] = /^uk_products_(\w+)_(\d+)$/.exec(name)!;
  return groupProduct(operands!, Number(columns));
}
