// Flat functions that move the leading lanes of vectors of every type: below none, none, some, all, more than all. Their
// arrays are as long as what is moved, so that in the emulated machine the next element is on no page.

import { byteSize, type DType } from "../../../../src/compiler/index.ts";
import { constInt, constOf, loadOf, ramp, store } from "../../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { body, buffer } from "./flat-functions.ts";

export interface PartialMove {
  readonly func: LoopFunc;
  readonly inputs: Readonly<Record<string, Int32Array>>;
}

const types: readonly DType[] = ["f64", "f32", "f16", "bf16", "i32", "i16", "i8", "u8", "bool"];

export const partialMoves = (): readonly PartialMove[] =>
  types.flatMap((dtype) => {
    const register = 64 / byteSize[dtype];
    return [5, register, 1.5 * register].flatMap((lanes) =>
      [-1, 0, 1, 4, lanes / 2 + 1, lanes - 1, lanes, lanes + 1]
        .map(Math.floor)
        .flatMap((count) => [true, false].map((isDynamic) => partialMove(dtype, lanes, count, isDynamic))),
    );
  });

/** `y[0 … count] = x[0 … count]`, and `z` = the same lanes, zeros after them. */
function partialMove(dtype: DType, lanes: number, count: number, isDynamic: boolean): PartialMove {
  const moved = Math.min(Math.max(count, 0), lanes);
  const [x, n] = [buffer("x", dtype, Math.max(moved, 1), "input"), buffer("n", "i32", 1, "input")];
  const [y, z] = [buffer("y", dtype, Math.max(moved, 1), "output"), buffer("z", dtype, lanes, "output")];
  const active: Expr = isDynamic ? loadOf(n, [constInt(0)]) : constInt(count);
  const all = ramp(constInt(0), 1, lanes);
  const leading = (of: Buffer): Expr => loadOf(of, [all], active);
  // Every element of an output has to be written.
  const first: readonly Stmt[] = moved === 0 ? [store(y, [constInt(0)], constOf(dtype, 1))] : [];
  const stmts = [...first, store(y, [all], leading(x), active), store(z, [all], leading(x))];
  const name = `partial_${dtype}x${lanes}`;
  return { func: { name, buffers: [x, n, y, z], body: body(...stmts) }, inputs: { n: Int32Array.of(count) } };
}
