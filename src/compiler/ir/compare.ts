// Comparisons of index expressions: decided by bounds where they can be, else brought into one of two forms,
// `terms < n` or `terms >= n`, the first coefficient positive, terms too small to matter left out.
//
//   48·j + 16·v + l < 512  →  3·j + v < 32      where 0 ≤ l < 16

import { type Interval, isBounded, unbounded } from "../affine/interval.ts";
import { withFact } from "../affine/ranges.ts";
import type { BinaryOp } from "../expr/scalar-expr.ts";
import { gcd } from "../support/integer-math.ts";
import { type Affine, type AffineTerm, addAffine, exprLanguage, fromAffine, toAffine } from "./affine.ts";
import { boundsOfAffine } from "./bounds.ts";
import { isLargeExpr } from "./graph.ts";
import type { Binary, Const, Expr } from "./loop-ir.ts";
import type { Ranges } from "./ranges.ts";

export type ComparisonOp = Extract<BinaryOp, "eq" | "ne" | "lt" | "le" | "gt" | "ge">;

export const isComparison = (op: string): op is ComparisonOp =>
  op === "lt" || op === "le" || op === "gt" || op === "ge" || op === "eq" || op === "ne";

export const bool = (value: boolean): Const => ({ kind: "const", dtype: "bool", value: value ? 1 : 0 });

export function compareAffine(op: ComparisonOp, left: Affine, right: Affine, ranges: Ranges): Expr {
  const { terms, constant } = addAffine(left, right, -1);
  const bounds = boundsOfAffine({ terms, constant: 0 }, ranges);
  const decided = isBounded(bounds) || terms.length === 0 ? decide(op, bounds, -constant) : null;
  if (decided !== null) return bool(decided);
  switch (op) {
    case "lt":
      return atMost(terms, -constant - 1, ranges);
    case "le":
      return atMost(terms, -constant, ranges);
    case "gt":
      return atLeast(terms, -constant + 1, ranges);
    case "ge":
      return atLeast(terms, -constant, ranges);
    case "eq":
    case "ne":
      return isPositive(terms) ? comparison(op, terms, -constant) : comparison(op, negate(terms), constant);
  }
}

/** `ranges` plus what a condition tells, if it tells anything. Conditions are expected in simplified form. */
export function assume(condition: Expr, ranges: Ranges): Ranges {
  let known = ranges;
  for (const each of conjunctsOf(condition)) known = assumeOne(each, known);
  return known;
}

function assumeOne(condition: Expr, ranges: Ranges): Ranges {
  if (condition.kind !== "binary" || condition.right.kind !== "const" || condition.left.dtype !== "i32") return ranges;
  const interval = intervalOf(condition.op, condition.right.value);
  const { terms, constant } = toAffine(condition.left);
  if (!interval || constant !== 0 || terms.length === 0) return ranges;
  return withFact(exprLanguage, ranges, terms, interval);
}

/** The conditions of a conjunction; a large one is taken as a whole. */
export const conjunctsOf = (condition: Expr): readonly Expr[] =>
  condition.kind === "binary" && condition.op === "and" && !isLargeExpr(condition)
    ? [...conjunctsOf(condition.left), ...conjunctsOf(condition.right)]
    : [condition];

function intervalOf(op: Binary["op"], value: number): Interval | null {
  if (op === "lt") return { ...unbounded, max: value - 1 };
  if (op === "ge") return { ...unbounded, min: value };
  return op === "eq" ? { min: value, max: value } : null;
}

/** Decides `x op n` by the bounds of `x`; null if they leave it open. */
function decide(op: ComparisonOp, { min, max }: Interval, n: number): boolean | null {
  switch (op) {
    case "lt":
      return max < n ? true : min >= n ? false : null;
    case "le":
      return max <= n ? true : min > n ? false : null;
    case "gt":
      return min > n ? true : max <= n ? false : null;
    case "ge":
      return min >= n ? true : max < n ? false : null;
    case "eq":
      return min === n && max === n ? true : min > n || max < n ? false : null;
    case "ne":
      return min > n || max < n ? true : min === n && max === n ? false : null;
  }
}

function atMost(terms: readonly AffineTerm[], limit: number, ranges: Ranges): Expr {
  if (!isPositive(terms)) return atLeast(negate(terms), -limit, ranges);
  const coarse = coarsen(terms, limit, Math.floor, ranges);
  return coarse ? atMost(coarse.terms, coarse.limit, ranges) : comparison("lt", terms, limit + 1);
}

function atLeast(terms: readonly AffineTerm[], limit: number, ranges: Ranges): Expr {
  if (!isPositive(terms)) return atMost(negate(terms), -limit, ranges);
  const coarse = coarsen(terms, limit, Math.ceil, ranges);
  return coarse ? atLeast(coarse.terms, coarse.limit, ranges) : comparison("ge", terms, limit);
}

/** size·large + small ≤ limit says large ≤ floor((limit - small) / size), if that is the same for every small. */
function coarsen(terms: readonly AffineTerm[], limit: number, round: (x: number) => number, ranges: Ranges) {
  if (terms.every(({ coefficient }) => Math.abs(coefficient) === 1)) return null;
  const sizes = new Set(terms.flatMap((a) => terms.map((b) => gcd(Math.abs(a.coefficient), Math.abs(b.coefficient)))));
  for (const size of [...sizes].sort((a, b) => b - a)) {
    if (size === 1) return null;
    const small = terms.filter(({ coefficient }) => coefficient % size !== 0);
    const { min, max } = boundsOfAffine({ terms: small, constant: 0 }, ranges);
    const coarse = round((limit - max) / size);
    if (coarse !== round((limit - min) / size) || !Number.isFinite(coarse)) continue;
    const large = terms.filter(({ coefficient }) => coefficient % size === 0);
    return {
      terms: large.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / size })),
      limit: coarse,
    };
  }
  return null;
}

const isPositive = (terms: readonly AffineTerm[]): boolean => terms[0]!.coefficient > 0;
const negate = (terms: readonly AffineTerm[]): AffineTerm[] =>
  terms.map(({ atom, coefficient }) => ({ atom, coefficient: -coefficient }));

const comparison = (op: ComparisonOp, terms: readonly AffineTerm[], limit: number): Binary => ({
  kind: "binary",
  dtype: "bool",
  op,
  left: fromAffine({ terms, constant: 0 }),
  right: { kind: "const", dtype: "i32", value: limit + 0 }, // not -0
});
