// The exact interval of sums of products in each of which a value occurs at most once. Such a sum is linear in every one of its values, so
// that its least and its greatest result lie where each of them is at an end of its own interval. Interval arithmetic takes the
// two a of a mix for different values.
//
//   x · a + y · (255 − a), all three in 0 … 255     →     0 … 255 · 255, not 0 … 2 · 255 · 255

import { type Interval, isBounded } from "../affine/interval.ts";
import { children } from "../expr/expr-visit.ts";
import { scalarLanguage } from "../expr/linear-form.ts";
import type { ScalarExpr } from "../expr/scalar-expr.ts";
import { isLarge } from "../support/graph.ts";

/** Most different values of a sum: it is computed at each of their 2^n corners. */
const mostValues = 6;

type RangeOf = (atom: ScalarExpr) => Interval;
/** A number for each value, by its key. */
type Corner = ReadonlyMap<string, number>;

interface Sum {
  readonly values: ReadonlySet<string>;
  at(corner: Corner): number;
}

/**
 * Returns the interval of an i32 expression from those of the values in it; null where it is no such sum, where none of them occurs twice, and
 * where it may wrap.
 */
export function multilinearRange(expr: ScalarExpr, rangeOf: RangeOf): Interval | null {
  if (isLarge(expr, children)) return null;
  const found = new Values(rangeOf);
  const sum = sumOf(expr, found);
  if (!sum || found.uses === found.ranges.size || found.ranges.size > mostValues) return null;
  if (![...found.ranges.values()].every(isBounded)) return null;
  const results = cornersOf([...found.ranges]).map((corner) => sum.at(corner));
  const range = { min: Math.min(...results), max: Math.max(...results) };
  return isBounded(range) ? range : null;
}

/** The values that were met, each with its interval. */
class Values {
  readonly ranges = new Map<string, Interval>();
  uses = 0;
  readonly #rangeOf: RangeOf;

  constructor(rangeOf: RangeOf) {
    this.#rangeOf = rangeOf;
  }

  meet(value: ScalarExpr): string {
    const key = scalarLanguage.keyOf(value);
    this.uses++;
    if (!this.ranges.has(key)) this.ranges.set(key, this.#rangeOf(value));
    return key;
  }
}

/** The expression as a sum; null: a value is multiplied by itself. */
function sumOf(expr: ScalarExpr, found: Values): Sum | null {
  if (expr.kind === "const") return { values: new Set(), at: () => expr.value };
  if (expr.kind === "unary" && expr.op === "neg") {
    const operand = sumOf(expr.operand, found);
    return operand && { ...operand, at: (corner) => -operand.at(corner) };
  }
  if (expr.kind === "binary" && (expr.op === "add" || expr.op === "sub" || expr.op === "mul")) {
    const [left, right] = [sumOf(expr.left, found), sumOf(expr.right, found)];
    return left && right && operated(expr.op, left, right);
  }
  const key = found.meet(expr);
  return { values: new Set([key]), at: (corner) => corner.get(key)! };
}

function operated(op: "add" | "sub" | "mul", left: Sum, right: Sum): Sum | null {
  const values = new Set([...left.values, ...right.values]);
  if (op === "add") return { values, at: (corner) => left.at(corner) + right.at(corner) };
  if (op === "sub") return { values, at: (corner) => left.at(corner) - right.at(corner) };
  const isLinear = values.size === left.values.size + right.values.size;
  return isLinear ? { values, at: (corner) => left.at(corner) * right.at(corner) } : null;
}

const cornersOf = (ranges: readonly (readonly [key: string, range: Interval])[]): readonly Corner[] =>
  ranges.reduce<readonly Corner[]>(
    (corners, [key, { min, max }]) =>
      corners.flatMap((corner) => [new Map(corner).set(key, min), new Map(corner).set(key, max)]),
    [new Map()],
  );
