// Hand-built loop nests that the tests of this folder share.

import { add, block, constInt, constOf, forLoop, loadOf, mul, variable } from "../../../src/compiler/ir/build.ts";
import type { Block, Buffer, Expr, LoopFunc } from "../../../src/compiler/ir/loop-ir.ts";
import { type BufferPlace, bufferIn } from "../../support/buffer-in.ts";

export const f32 = (name: string, shape: readonly number[], place: BufferPlace): Buffer =>
  bufferIn(place, { name, dtype: "f32", shape });

/** Block C of a gemm over the loops that `bindings` mention. */
export function gemmBlock(sizes: readonly [number, number, number], bindings: readonly Expr[]): Block {
  const [m, n, k] = sizes;
  const [i, j, l] = [variable("i"), variable("j"), variable("k")];
  const C = f32("C", [m, n], "output");
  const product = mul(loadOf(f32("A", [m, k], "input"), [i, l]), loadOf(f32("B", [k, n], "input"), [l, j]));
  return block({
    name: "C",
    axes: [
      { name: "i", extent: m, role: "spatial" },
      { name: "j", extent: n, role: "spatial" },
      { name: "k", extent: k, role: "reduce" },
    ],
    bindings,
    buffer: "C",
    indices: [i, j],
    init: constOf("f32", 0),
    value: add(loadOf(C, [i, j]), product),
  });
}

const gemmBuffers = ([m, n, k]: readonly [number, number, number]): readonly Buffer[] => [
  f32("A", [m, k], "input"),
  f32("B", [k, n], "input"),
  f32("C", [m, n], "output"),
];

export function naiveGemm(m: number, n: number, k: number): LoopFunc {
  const body = gemmBlock([m, n, k], [variable("C.i"), variable("C.j"), variable("C.k")]);
  return {
    name: `gemm_f32_${m}x${n}x${k}`,
    buffers: gemmBuffers([m, n, k]),
    body: forLoop("C.i", m, forLoop("C.j", n, forLoop("C.k", k, body))),
  };
}

/** j split by 4 with overshoot, k outside of j. */
export function splitGemm(m: number, n: number, k: number): LoopFunc {
  const j = add(mul(variable("C.j.0"), constInt(4)), variable("C.j.1"));
  const body = gemmBlock([m, n, k], [variable("C.i"), j, variable("C.k")]);
  const inner = forLoop("C.j.1", 4, body, "vectorized", "mask");
  const outer = forLoop("C.k", k, forLoop("C.j.0", Math.ceil(n / 4), inner));
  return { name: "split_gemm", buffers: gemmBuffers([m, n, k]), body: forLoop("C.i", m, outer, "parallel") };
}
