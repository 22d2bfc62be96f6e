// Asks this engine whether it has relaxed SIMD, which the twin wasm-relaxed needs.

/** `(module (func (result v128) i32.const 1 i8x16.splat i32.const 2 i8x16.splat i8x16.relaxed_swizzle))` */
const relaxedModule = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0],
  ...[10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
);

export const hasRelaxedSimd = (): boolean => WebAssembly.validate(relaxedModule);
