// The range of an integer index expression, from the extents of its loop variables; null where it is not known. Says
// whether a constant may move into the immediate of an access, and whether a division may be unsigned.

import type { Binary, Expr } from "../../ir/loop-ir.ts";
import type { Affine, ExtentOf } from "./affine-index.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const i32Limit = 2 ** 31;

/** The interval, if no i32 wrapped on the way. */
function checked(low: number, high: number): Interval | null {
  return low >= -i32Limit && high < i32Limit ? { low, high } : null;
}

export function intervalOf(expr: Expr, extentOf: ExtentOf): Interval | null {
  if (expr.kind === "const") return { low: expr.value, high: expr.value };
  if (expr.kind === "var") return { low: 0, high: extentOf(expr.name) - 1 };
  if (expr.kind === "select" && expr.dtype === "i32") {
    return union(intervalOf(expr.then, extentOf), intervalOf(expr.else, extentOf));
  }
  return expr.kind === "binary" && expr.dtype === "i32" ? binaryInterval(expr, extentOf) : null;
}

function union(a: Interval | null, b: Interval | null): Interval | null {
  return a && b && { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
}

function binaryInterval({ op, left, right }: Binary, extentOf: ExtentOf): Interval | null {
  const a = intervalOf(left, extentOf);
  const b = intervalOf(right, extentOf);
  if (op === "mod") return b && b.low > 0 ? { low: 0, high: b.high - 1 } : null;
  if (!a || !b) return null;
  if (op === "add") return checked(a.low + b.low, a.high + b.high);
  if (op === "sub") return checked(a.low - b.high, a.high - b.low);
  if (op === "min") return { low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) };
  if (op === "max") return { low: Math.max(a.low, b.low), high: Math.max(a.high, b.high) };
  if (op === "mul") return corners(a, b, (x, y) => x * y);
  if (op === "floorDiv" && b.low > 0) return corners(a, b, (x, y) => Math.floor(x / y));
  return null;
}

function corners(a: Interval, b: Interval, combine: (x: number, y: number) => number): Interval | null {
  const values = [combine(a.low, b.low), combine(a.low, b.high), combine(a.high, b.low), combine(a.high, b.high)];
  return checked(Math.min(...values), Math.max(...values));
}

/** A lower bound of the terms of an affine form, without its constant; null where it is not known. */
export function lowerBound({ terms }: Affine, extentOf: ExtentOf): number | null {
  let sum = 0;
  for (const { coefficient, expr } of terms.values()) {
    const range = intervalOf(expr, extentOf);
    if (!range) return null;
    sum += coefficient > 0 ? coefficient * range.low : coefficient * range.high;
  }
  return sum;
}
