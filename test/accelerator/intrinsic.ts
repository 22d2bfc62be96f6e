// The matrix unit's two instructions as loop nests: what a schedule tensorizes, and what every interpreter runs.
//
//   vta.product: for column in 0..16, step in 0..16            vta.reset: for column in 0..16
//     C[column] += i32(A[step]) * i32(B[step*16 + column])       C[column] = 0

import type { DType, Intrinsic } from "../../src/compiler/index.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../../src/compiler/ir/build.ts";
import type { Buffer } from "../../src/compiler/ir/loop-ir.ts";
import { side, tile } from "./machine.ts";

const operand = (name: string, dtype: DType, length: number): Buffer => ({
  name,
  dtype,
  shape: [length],
  role: "local",
  memory: "workspace",
});

const [C, A, B] = [operand("C", "i32", side), operand("A", "i8", side), operand("B", "i8", tile)];
const [column, step] = [variable("column"), variable("step")];
const weight = loadOf(B, [add(mul(step, constInt(side)), column)]);
const update = store(C, [column], add(loadOf(C, [column]), mul(cast("i32", loadOf(A, [step])), cast("i32", weight))));

export const product: Intrinsic = {
  name: "vta.product",
  features: ["vta"],
  exact: true,
  meaning: { name: "vta_product", buffers: [C, A, B], body: forLoop("column", side, forLoop("step", side, update)) },
  operands: "tiles",
  text: { vta: "product" },
};

export const reset: Intrinsic = {
  name: "vta.reset",
  features: ["vta"],
  exact: true,
  meaning: { name: "vta_reset", buffers: [C], body: forLoop("column", side, store(C, [column], constInt(0))) },
  operands: "tiles",
  text: { vta: "reset" },
};

export const intrinsics: readonly Intrinsic[] = [product, reset];
