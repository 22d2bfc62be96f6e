// The meaning of products of small matrices whose sums are one vector, row after row: each lane of C gains the products of a row of A and
// a row of B, which lie as dot products want them.
//
//   for row in 0..2, column in 0..2, step in 0..8
//     C[row*2 + column] = C[row*2 + column] + i32(A[row*8 + step]) * i32(B[column*8 + step])

import type { DType } from "../expr/dtype.ts";
import { localBuffer } from "../ir/buffer.ts";
import { add, cast, constInt, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Expr, LoopFunc } from "../ir/loop-ir.ts";

export interface MatrixDot {
  /** Rows of A, and of B: rows and columns of C. */
  readonly side: number;
  /** Products that one lane gains. */
  readonly group: number;
  readonly a: DType;
  readonly b: DType;
  readonly sum: DType;
}

export function matrixDot(name: string, { side, group, a, b, sum }: MatrixDot): LoopFunc {
  const vector = (name: string, dtype: DType, lanes: number) => localBuffer({ name, dtype, shape: [lanes] });
  const [C, A, B] = [vector("C", sum, side * side), vector("A", a, side * group), vector("B", b, side * group)];
  const place = (row: string, length: number, at: string): Expr =>
    add(mul(variable(row), constInt(length)), variable(at));
  const at = place("row", side, "column");
  const [left, right] = [loadOf(A, [place("row", group, "step")]), loadOf(B, [place("column", group, "step")])];
  const update = store(C, [at], add(loadOf(C, [at]), mul(cast(sum, left), cast(sum, right))));
  const body = forLoop("row", side, forLoop("column", side, forLoop("step", group, update)));
  return { name: name.replaceAll(/\W/g, "_"), buffers: [C, A, B], body };
}
