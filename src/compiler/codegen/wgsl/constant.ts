// Constants: what they are in WGSL, and expressions of constants alone, which are computed here. An expression of constants that
// overflows, or is infinite, is an error in WGSL, where the loop IR wraps and has infinities.

import { broadcast, constOf } from "../../ir/build.ts";
import type { Const, Expr, IrType } from "../../ir/loop-ir.ts";
import { binaryOn, bitcastOn, castOn, type Scalar, unaryOn } from "../../ir/scalar-ops.ts";
import { lanesOf, mapExpr } from "../../ir/visit.ts";
import { scalarType } from "./elements.ts";
import type { HelperName } from "./run-time.ts";

type Use = (helper: HelperName) => string;

export function wgslConst(dtype: IrType, value: number, use: Use): string {
  switch (scalarType(dtype)) {
    case "bool":
      return value === 0 ? "false" : "true";
    case "i32":
      if (value >= 0) return String(value);
      return value === -(2 ** 31) ? "(-2147483647 - 1)" : `(${value})`;
    case "f32":
      return floatConst(value, use);
  }
}

const leastNormal = 2 ** -126;

function floatConst(value: number, use: Use): string {
  const isPlain = Number.isFinite(value) && (Math.abs(value) >= leastNormal || Object.is(value, 0));
  if (isPlain) return value < 0 ? `(${digits(value)}f)` : `${digits(value)}f`;
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0]!;
  return `${use("uk_float")}(0x${bits.toString(16)}u)`;
}

/** The fewest digits that are the value when read as f32. */
function digits(value: number): string {
  for (let count = 1; count <= 9; count++) {
    const text = String(Number(value.toPrecision(count)));
    if (Math.fround(Number(text)) === Math.fround(value)) return /[.e]/.test(text) ? text : `${text}.0`;
  }
  return String(value);
}

/** The expression with all that constants alone decide as a constant. */
export const foldConstants = (expr: Expr): Expr => mapExpr(expr, folded);

function folded(expr: Expr): Expr {
  switch (expr.kind) {
    case "unary":
      return fold(expr, [expr.operand], unaryOn(expr.op, expr.operand.dtype));
    case "cast":
      return fold(expr, [expr.operand], castOn(expr.operand.dtype, expr.dtype));
    case "bitcast":
      return fold(expr, [expr.operand], bitcastOn(expr.operand.dtype, expr.dtype));
    case "binary":
      return fold(expr, [expr.left, expr.right], binaryOn(expr.op, expr.left.dtype));
    case "select":
      if (expr.condition.kind !== "const") return expr;
      return expr.condition.value === 0 ? expr.else : expr.then;
    default:
      return expr;
  }
}

function fold(expr: Expr, operands: readonly Expr[], apply: (a: Scalar, b: Scalar) => Scalar): Expr {
  const values = operands.map(constantOf);
  if (expr.dtype === "i64" || values.some((it) => it === null || it.dtype === "i64")) return expr;
  const [a, b] = values as readonly Const[];
  return broadcast(constOf(expr.dtype, Number(apply(a!.value, b?.value ?? 0))), lanesOf(expr));
}

/** The constant in all lanes; null: it is none. */
export function constantOf(expr: Expr): Const | null {
  if (expr.kind === "const") return expr;
  return expr.kind === "broadcast" && expr.value.kind === "const" ? expr.value : null;
}
