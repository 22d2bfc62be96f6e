// Error of an expansion in ulp: runs it as JavaScript over many operands. The exact values are those of Math in f64 (of
// f32 results: error below 2^-29 ulp).

import { compileJs } from "../../../../src/compiler/codegen/js/compile.ts";
import { generateJs } from "../../../../src/compiler/codegen/js/generate-js.ts";
import type { UnaryOp } from "../../../../src/compiler/expr/scalar-expr.ts";
import { parameterBuffer } from "../../../../src/compiler/ir/buffer.ts";
import { binary, forLoop, loadOf, store, unary, variable } from "../../../../src/compiler/ir/build.ts";
import type { Buffer, LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import { expandMathIn } from "../../../../src/compiler/lower/pass/expand-math.ts";

export type FloatArray = Float32Array | Float64Array;
export type MathOp = UnaryOp | "pow";

/** `Z[i] = op(X[i])`, or `op(X[i], Y[i])`, not expanded. */
export function mathFunc(op: MathOp, dtype: "f32" | "f64", length: number): LoopFunc {
  const buffer = (name: string, role: "input" | "output"): Buffer =>
    parameterBuffer({ name, dtype, shape: [length] }, role);
  const [X, Y, Z] = [buffer("X", "input"), buffer("Y", "input"), buffer("Z", "output")];
  const i = variable("i");
  const value = op === "pow" ? binary("pow", loadOf(X, [i]), loadOf(Y, [i])) : unary(op, loadOf(X, [i]));
  const buffers = op === "pow" ? [X, Y, Z] : [X, Z];
  return { name: `${op}_${dtype}`, buffers, body: forLoop("i", length, store(Z, [i], value)) };
}

/** A function that fills its last argument; all have `length` elements. */
export function compileExpansion(op: MathOp, dtype: "f32" | "f64", length: number): (...args: FloatArray[]) => void {
  return compileJs(generateJs(expandMathIn(mathFunc(op, dtype, length))));
}

/** The size of the last place of `exact` in f32; that of the subnormals below 2^-126. */
export function lastPlace32(exact: number): number {
  const exponent = Math.max(-126, Math.floor(Math.log2(Math.abs(exact))));
  return 2 ** (exponent - 23);
}

export function lastPlace64(exact: number): number {
  const exponent = Math.max(-1022, Math.floor(Math.log2(Math.abs(exact))));
  return exponent - 52 < -1074 ? 2 ** -1074 : 2 ** (exponent - 52);
}

/**
 * The distance in units of the last place of `exact`, a number in f64. NaN must meet NaN. One past the largest f32 stands
 * for infinity, so that rounding up to it counts as an error of one place. Signs of zero are not looked at.
 */
export function ulpError(got: number, exact: number, dtype: "f32" | "f64"): number {
  if (Number.isNaN(exact) || Number.isNaN(got)) return Number.isNaN(exact) && Number.isNaN(got) ? 0 : Infinity;
  if (got === exact) return 0;
  if (dtype === "f64") return Math.abs(got - exact) / lastPlace64(exact);
  const limited = (value: number): number => Math.max(-(2 ** 128), Math.min(2 ** 128, value));
  const wanted = limited(exact);
  return Math.abs(limited(got) - wanted) / lastPlace32(wanted === 2 ** 128 ? 2 ** 127 : wanted);
}
