// Scalar i32 expressions as `long` C text: positions in memory. In 64 bits compilers may strength-reduce them freely,
// and as verified accesses lie in their buffer no step can wrap where 32 bits would not.

import type { Expr } from "../../ir/loop-ir.ts";
import type { Context } from "./context.ts";
import { emitScalar } from "./operand.ts";

/** The expression as a `long`, in parentheses unless it is a name or a number. */
export function indexText(context: Context, expr: Expr): string {
  switch (expr.kind) {
    case "const":
      return expr.value < 0 ? `(${expr.value})` : String(expr.value);
    case "var":
      return context.names.of("loop", expr.name);
    case "binary":
      return binaryIndex(context, expr);
    default:
      return emitScalar(context, expr);
  }
}

/** The sum of an index and a constant, without the needless zero. */
export function offsetText(context: Context, expr: Expr, offset: number): string {
  if (expr.kind === "const") return String(expr.value + offset);
  return offset === 0 ? indexText(context, expr) : `${indexText(context, expr)} + ${offset}`;
}

function binaryIndex(context: Context, expr: Extract<Expr, { kind: "binary" }>): string {
  const { op, left, right } = expr;
  const both = (sign: string): string => `(${indexText(context, left)} ${sign} ${indexText(context, right)})`;
  if (op === "add") return both("+");
  if (op === "sub") return both("-");
  if (op === "mul") return both("*");
  if (op === "floorDiv" && isPositive(right)) return division(context, left, right.value, "/");
  if (op === "mod" && isPositive(right)) return division(context, left, right.value, "%");
  return emitScalar(context, expr);
}

const isPositive = (expr: Expr): expr is Extract<Expr, { kind: "const" }> => expr.kind === "const" && expr.value > 0;

/**
 * Text of a quotient or remainder that is rounded down. For a power of two, a shift or a mask rounds down by itself; C's own
 * operators do so only for what is never negative.
 */
function division(context: Context, left: Expr, divisor: number, sign: "/" | "%"): string {
  const text = indexText(context, left);
  if (Number.isInteger(Math.log2(divisor))) {
    return sign === "/" ? `(${text} >> ${Math.log2(divisor)})` : `(${text} & ${divisor - 1})`;
  }
  if (isNeverNegative(left)) return `(${text} ${sign} ${divisor})`;
  const positive = `(${text} % ${divisor} + ${divisor}) % ${divisor}`;
  return sign === "%" ? `(${positive})` : `((${text} - ${positive}) / ${divisor})`;
}

/** Says whether the value is never negative: sums, products and quotients of loop variables and constants ≥ 0 are not. */
function isNeverNegative(expr: Expr): boolean {
  if (expr.kind === "var") return true;
  if (expr.kind === "const") return expr.value >= 0;
  if (expr.kind !== "binary") return false;
  const { op, left, right } = expr;
  const monotone = op === "add" || op === "mul" || op === "floorDiv" || op === "min";
  return (op === "mod" && isPositive(right)) || (monotone && isNeverNegative(left) && isNeverNegative(right));
}
