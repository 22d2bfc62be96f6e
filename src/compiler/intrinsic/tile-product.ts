// The meanings of instructions on tiles, registers of 16 rows of 64 bytes: products of two of them, and moves.
//
//   for row in 0..16, column in 0..16, group in 0..16, step in 0..4
//     C[row*16 + column] += i32(A[row*64 + group*4 + step]) * i32(B[group*64 + column*4 + step])

import { byteSize, type DType } from "../expr/dtype.ts";
import { add, cast, constInt, constOf, forLoop, loadOf, mul, store, variable } from "../ir/build.ts";
import type { Buffer, Expr, LocalMemory, LoopFunc, Stmt } from "../ir/loop-ir.ts";

/** Number of rows of a tile, and of bytes in a row. */
const rows = 16;
const rowBytes = 64;
/** Number of columns of a result, whose elements are 4 bytes wide. */
const columns = rowBytes / 4;

const tile = (name: string, dtype: DType, memory: LocalMemory = "fragment"): Buffer => ({
  name,
  dtype,
  shape: [(rows * rowBytes) / byteSize[dtype]],
  role: "local",
  memory,
});

const meaning = (name: string, buffers: readonly Buffer[], body: Stmt): LoopFunc => ({
  name: name.replaceAll(/\W/g, "_"),
  buffers,
  body: forLoop("row", rows, forLoop("column", columns, body)),
});

const times = (name: string, by: number): Expr => mul(variable(name), constInt(by));
const place = add(times("row", columns), variable("column"));

/**
 * Product of two tiles. `a` is the type of the left one, whose rows lie row by row. `b` is the type of the right one, which
 * lies in groups of as many of its rows as fit 4 bytes.
 */
export function tileProduct(name: string, a: DType, b: DType, sum: DType): LoopFunc {
  const [C, A, B] = [tile("C", sum), tile("A", a), tile("B", b)];
  const group = 4 / byteSize[a];
  const step = add(times("group", group), variable("step"));
  const left = loadOf(A, [add(times("row", columns * group), step)]);
  const right = loadOf(B, [add(times("group", columns * group), add(times("column", group), variable("step")))]);
  const update = store(C, [place], add(loadOf(C, [place]), mul(cast(sum, left), cast(sum, right))));
  return meaning(name, [C, A, B], forLoop("group", columns, forLoop("step", group, update)));
}

export function tileZero(name: string, dtype: DType): LoopFunc {
  const C = tile("C", dtype);
  return meaning(name, [C], store(C, [place], constOf(dtype, 0)));
}

/** The copy of a tile to memory. */
export function tileCopy(name: string, dtype: DType): LoopFunc {
  const [C, A] = [tile("C", dtype, "workspace"), tile("A", dtype)];
  return meaning(name, [C, A], store(C, [place], loadOf(A, [place])));
}
