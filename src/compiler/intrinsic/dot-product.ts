// The meaning of the dot-product instructions: each lane of C gains the products of a group of neighbours in A and B.
//
//   for lane in 0..8
//     for step in 0..2
//       C[lane] = C[lane] + i32(A[lane*2 + step]) * i32(B[lane*2 + step])
//
// One lane is no loop.

import type { DType } from "../expr/dtype.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Buffer, LoopFunc } from "../ir/loop-ir.ts";

export interface DotProduct {
  readonly lanes: number;
  /** Products that one lane gains. */
  readonly group: number;
  readonly a: DType;
  readonly b: DType;
  readonly sum: DType;
}

export function dotProduct(name: string, { lanes, group, a, b, sum }: DotProduct): LoopFunc {
  const buffer = (name: string, dtype: DType, length: number): Buffer => ({
    name,
    dtype,
    shape: [length],
    role: "local",
    memory: "workspace",
  });
  const [C, A, B] = [buffer("C", sum, lanes), buffer("A", a, lanes * group), buffer("B", b, lanes * group)];
  const isVector = lanes > 1;
  const lane = isVector ? variable("lane") : constInt(0);
  const at = add(mul(lane, constInt(group)), variable("step"));
  const product = mul(cast(sum, loadOf(A, [at])), cast(sum, loadOf(B, [at])));
  const update = store(C, [lane], add(loadOf(C, [lane]), product));
  const steps = forLoop("step", group, update);
  const body = isVector ? forLoop("lane", lanes, steps) : steps;
  return { name: name.replaceAll(/\W/g, "_"), buffers: [C, A, B], body };
}
