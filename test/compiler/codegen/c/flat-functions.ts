// Hand-built flat functions that the tests of the C back end share.

import type { DType } from "../../../../src/compiler/expr/dtype.ts";
import {
  add,
  assign,
  broadcast,
  constInt,
  constOf,
  define,
  forLoop,
  loadOf,
  localOf,
  mul,
  ramp,
  store,
  variable,
} from "../../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { type BufferPlace, bufferIn } from "../../../support/buffer-in.ts";

export const buffer = (name: string, dtype: DType, length: number, place: BufferPlace): Buffer =>
  bufferIn(place, { name, dtype, shape: [length] });

export const body = (...stmts: readonly Stmt[]): Stmt => ({ kind: "seq", body: stmts });

const at = (loop: string, factor: number, offset = 0): Expr =>
  add(mul(variable(loop), constInt(factor)), constInt(offset));

/** `y[i] = value(x[i])` over one vector of `lanes` lanes, or a scalar loop. */
export function mapFunction(
  name: string,
  from: DType,
  to: DType,
  lanes: number,
  vectors: number,
  value: (x: Expr, index: Expr) => Expr,
): LoopFunc {
  const x = buffer("x", from, lanes * vectors, "input");
  const y = buffer("y", to, lanes * vectors, "output");
  const start = at("i", lanes);
  const index = lanes === 1 ? start : ramp(start, 1, lanes);
  return { name, buffers: [x, y], body: forLoop("i", vectors, store(y, [index], value(loadOf(x, [index]), index))) };
}

/** `z[i] = value(x[i], y[i])` in vectors of `lanes`. */
export function zipFunction(
  name: string,
  from: DType,
  lanes: number,
  vectors: number,
  value: (x: Expr, y: Expr) => Expr,
): LoopFunc {
  const [x, y] = [buffer("x", from, lanes * vectors, "input"), buffer("y", from, lanes * vectors, "input")];
  const start = at("i", lanes);
  const index = lanes === 1 ? start : ramp(start, 1, lanes);
  const result = value(loadOf(x, [index]), loadOf(y, [index]));
  const z = buffer("z", result.dtype as DType, lanes * vectors, "output");
  return { name, buffers: [x, y, z], body: forLoop("i", vectors, store(z, [index], result)) };
}

/**
 * C[m, n] = A·B from packed panels A[m/mr][k][mr] and B[n/nr][k][nr], `mr` × `nr` accumulators in locals, vectors of
 * `lanes`.
 */
export function packedGemm(
  size: { readonly m: number; readonly n: number; readonly k: number },
  tile: { readonly mr: number; readonly nr: number; readonly lanes: number },
): LoopFunc {
  const { m, n, k } = size;
  const { mr, nr, lanes } = tile;
  const A = buffer("A", "f32", m * k, "input");
  const B = buffer("B", "f32", k * n, "input");
  const C = buffer("C", "f32", m * n, "output");
  const cells = Array.from({ length: mr * (nr / lanes) }, (_, cell) => ({
    i: Math.floor(cell / (nr / lanes)),
    j: cell % (nr / lanes),
  }));
  const name = (i: number, j: number): string => `acc.${i}.${j}`;
  const aIndex = (i: number): Expr => add(at("ir", k * mr), at("k", mr, i));
  const bIndex = (j: number): Expr => ramp(add(at("jr", k * nr), at("k", nr, j * lanes)), 1, lanes);
  const update = cells.map(({ i, j }) => {
    const product = mul(broadcast(loadOf(A, [aIndex(i)]), lanes), localOf(`b.${j}`, "f32", lanes));
    return assign(name(i, j), add(localOf(name(i, j), "f32", lanes), product));
  });
  const loadB = Array.from({ length: nr / lanes }, (_, j) => define(`b.${j}`, loadOf(B, [bIndex(j)])));
  const zero = cells.map(({ i, j }) => define(name(i, j), broadcast(constOf("f32", 0), lanes)));
  const cIndex = (i: number, j: number): Expr => ramp(add(at("ir", mr * n, i * n), at("jr", nr, j * lanes)), 1, lanes);
  const write = cells.map(({ i, j }) => store(C, [cIndex(i, j)], localOf(name(i, j), "f32", lanes)));
  const micro = body(...zero, forLoop("k", k, body(...loadB, ...update)), ...write);
  return {
    name: `gemm_f32_${m}x${n}x${k}__${mr}x${nr}`,
    buffers: [A, B, C],
    body: forLoop("jr", n / nr, forLoop("ir", m / mr, micro)),
  };
}
