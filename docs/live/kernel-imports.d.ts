// Types of the imports of kernels, written by unplugin-kernel. Commit this file: the compiler needs it before a build.
/* eslint-disable */
// biome-ignore-all format lint: generated

declare module "*/layer.op.ts?tune=native" {
  /** A: f32[32, 256], B: f32[256, 1024], bias: f32[1024] → C: f32[32, 1024]; constant: B, bias */
  const kernel: import("unplugin-kernel/op").Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, B: Float32Array, bias: Float32Array], [C: Float32Array], { A: Float32Array; B: Float32Array; bias: Float32Array; C: Float32Array }> & import("unplugin-kernel/op").Packable<{ B: Float32Array; bias: Float32Array }, import("unplugin-kernel/op").PackedKernel<Float32Array<ArrayBuffer>, [A: Float32Array], [C: Float32Array], { A: Float32Array; C: Float32Array }>>;
  export default kernel;
}

declare module "*/layer.op.ts?tune=wasm" {
  /** A: f32[32, 256], B: f32[256, 1024], bias: f32[1024] → C: f32[32, 1024]; constant: B, bias */
  const kernel: import("unplugin-kernel/op").Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, B: Float32Array, bias: Float32Array], [C: Float32Array], { A: Float32Array; B: Float32Array; bias: Float32Array; C: Float32Array }> & import("unplugin-kernel/op").Packable<{ B: Float32Array; bias: Float32Array }, import("unplugin-kernel/op").PackedKernel<Float32Array<ArrayBuffer>, [A: Float32Array], [C: Float32Array], { A: Float32Array; C: Float32Array }>>;
  export default kernel;
}

declare module "*/layer.op.ts?tune=wasm&sync" {
  /** A: f32[32, 256], B: f32[256, 1024], bias: f32[1024] → C: f32[32, 1024]; constant: B, bias */
  const kernel: import("unplugin-kernel/op").Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, B: Float32Array, bias: Float32Array], [C: Float32Array], { A: Float32Array; B: Float32Array; bias: Float32Array; C: Float32Array }> & import("unplugin-kernel/op").Packable<{ B: Float32Array; bias: Float32Array }, import("unplugin-kernel/op").PackedKernel<Float32Array<ArrayBuffer>, [A: Float32Array], [C: Float32Array], { A: Float32Array; C: Float32Array }>>;
  export default kernel;
}

declare module "*/search.op.ts?tune=native" {
  /** A: f32[20000, 384], x: f32[384] → y: f32[20000] */
  const kernel: import("unplugin-kernel/op").Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, x: Float32Array], [y: Float32Array], { A: Float32Array; x: Float32Array; y: Float32Array }>;
  export default kernel;
}

declare module "*/search.op.ts?tune=wasm" {
  /** A: f32[20000, 384], x: f32[384] → y: f32[20000] */
  const kernel: import("unplugin-kernel/op").Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, x: Float32Array], [y: Float32Array], { A: Float32Array; x: Float32Array; y: Float32Array }>;
  export default kernel;
}

declare module "*/search.op.ts?tune=wasm&sync" {
  /** A: f32[20000, 384], x: f32[384] → y: f32[20000] */
  const kernel: import("unplugin-kernel/op").Kernel<Float32Array<ArrayBuffer>, [A: Float32Array, x: Float32Array], [y: Float32Array], { A: Float32Array; x: Float32Array; y: Float32Array }>;
  export default kernel;
}

declare module "*/sharpen.op.ts?tune=native" {
  /** image: u8[720, 1280, 4] → sharp: u8[720, 1280, 4] */
  const kernel: import("unplugin-kernel/op").Kernel<Uint8Array<ArrayBuffer>, [image: import("unplugin-kernel/op").Bytes], [sharp: import("unplugin-kernel/op").Bytes], { image: Uint8Array; sharp: Uint8Array }>;
  export default kernel;
}

declare module "*/sharpen.op.ts?tune=wasm" {
  /** image: u8[720, 1280, 4] → sharp: u8[720, 1280, 4] */
  const kernel: import("unplugin-kernel/op").Kernel<Uint8Array<ArrayBuffer>, [image: import("unplugin-kernel/op").Bytes], [sharp: import("unplugin-kernel/op").Bytes], { image: Uint8Array; sharp: Uint8Array }>;
  export default kernel;
}

declare module "*/sharpen.op.ts?tune=wasm&sync" {
  /** image: u8[720, 1280, 4] → sharp: u8[720, 1280, 4] */
  const kernel: import("unplugin-kernel/op").Kernel<Uint8Array<ArrayBuffer>, [image: import("unplugin-kernel/op").Bytes], [sharp: import("unplugin-kernel/op").Bytes], { image: Uint8Array; sharp: Uint8Array }>;
  export default kernel;
}

declare module "*tune=wasm" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx2" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx512" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx512-vnni" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=avx512-bf16" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=amx" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}

declare module "*tune=native" {
  const kernel: import("unplugin-kernel/op").AnyKernel;
  export default kernel;
}
