// WASM kernels that do what they should, and some that do not. C[i] = 2 · A[i], eight f32.

import binaryen from "binaryen";
import type { KernelParameter } from "../../../src/compiler/index.ts";
import type { Runnable, RunTask, WasmRunnable } from "../../../src/native/runner/protocol.ts";

const vector = (name: string, role: "input" | "output"): KernelParameter => ({
  name,
  dtype: "f32",
  shape: [2, 4],
  length: 8,
  role,
});

export const parameters = [vector("A", "input"), vector("C", "output")];
const values = Float32Array.from({ length: 8 }, (_, index) => index - 3.5);

export const doubling: RunTask = {
  parameters,
  inputs: [values],
  expected: [{ values: values.map((value) => 2 * value), bound: { kind: "exact" } }],
};

/** A at byte 64, C at byte 128. */
export function assemble(text: string): WasmRunnable {
  const module = binaryen.parseText(text);
  module.setFeatures(binaryen.Features.All);
  const bytes = Uint8Array.from(module.emitBinary());
  module.dispose();
  return { kind: "wasm", bytes, offsets: [64, 128], sharing: null };
}

const kernel = (body: string): WasmRunnable =>
  assemble(`(module (memory (export "memory") 1) (func $run (export "run") (local $i i32) (local $n i32) ${body}))`);

/** The loop over all elements, `repeats` times; `element` leaves the value to store. */
const loops = (repeats: number, count = 8, element = "(f32.mul (f32.const 2) (f32.load offset=64 (local.get $i)))") => `
  (loop $again
    (local.set $i (i32.const 0))
    (loop $each
      (f32.store offset=128 (local.get $i) ${element})
      (local.set $i (i32.add (local.get $i) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $i) (i32.const ${4 * count}))))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $n) (i32.const ${repeats}))))`;

const relaxedHalf = (at: number) => `
  (v128.store offset=${128 + at} (i32.const 0) (f32x4.relaxed_madd
    (v128.load offset=${64 + at} (i32.const 0))
    (v128.const f32x4 2 2 2 2)
    (v128.const f32x4 0 0 0 0)))`;

/** C[i] = P[i], P what `kernel` makes of A. P lies at byte 128, C at 192; `more` is done after the copy. */
export function preparedBy(prepare: Runnable, more = ""): WasmRunnable {
  const half = (at: number) =>
    `(v128.store offset=${192 + at} (i32.const 0) (v128.load offset=${128 + at} (i32.const 0)))`;
  const [input, output] = parameters;
  const result = vector("P", "output");
  return {
    ...kernel(`${half(0)} ${half(16)} ${more}`),
    offsets: [64, 128, 192],
    preparation: {
      kernel: prepare,
      parameters: [input!, result],
      used: [input!, { ...result, role: "input" }, output!],
    },
  };
}

export const planted = {
  right: () => kernel(loops(1)),
  /** Right, and slow: some milliseconds. */
  slow: () => kernel(loops(1_000_000)),
  /** Right, with the fused multiply-add of relaxed SIMD. */
  relaxed: () => kernel(`${relaxedHalf(0)} ${relaxedHalf(16)}`),
  wrong: () => kernel(loops(1, 8, "(f32.mul (f32.const 2.5) (f32.load offset=64 (local.get $i)))")),
  nan: () => kernel(loops(1, 8, "(f32.div (f32.const 0) (f32.const 0))")),
  leavesTheLast: () => kernel(loops(1, 7)),
  writesInput: () => kernel(`${loops(1)} (f32.store offset=64 (i32.const 0) (f32.const 9))`),
  traps: () => kernel("unreachable"),
  readsOutside: () => kernel("(drop (f32.load offset=0x7fffffff (i32.const 0)))"),
  recursesForEver: () => kernel("(call $run)"),
  hangs: () => kernel("(loop $for_ever (br $for_ever))"),
  notWasm: (): WasmRunnable => ({
    kind: "wasm",
    bytes: Uint8Array.of(1, 2, 3, 4),
    offsets: [64, 128],
    sharing: null,
  }),
  outsideMemory: (): WasmRunnable => ({ ...kernel(loops(1)), offsets: [64, 65_536] }),
  nothingExported: () => assemble("(module (memory 1))"),
};
