// i32 expression + ranges of its variables → the interval of its values (`affine/bounds.ts`), as loop IR asks for it.
// Sums are taken as sums of numbers, whether they fit i32 or not: callers ask `isBounded` where that matters.

import { type BoundedLanguage, boundsOfForm, boundsOfNode } from "../affine/bounds.ts";
import { add, type Interval, scale, unbounded, union } from "../affine/interval.ts";
import { commonFactor, divideTerms } from "../affine/linear-form.ts";
import { type Affine, exprLanguage, termsKey } from "./affine.ts";
import { isLargeExpr } from "./graph.ts";
import { lanesOf } from "./lanes.ts";
import type { Expr, IrType } from "./loop-ir.ts";
import type { RangeMemory, Ranges } from "./ranges.ts";

/** Bounds of an expression. A large one has those of its type: to look at what it uses again and again would have no end. */
export const boundsOf = (expr: Expr, ranges: Ranges): Interval =>
  isLargeExpr(expr) ? valuesOf(expr.dtype) : boundsOfExpr(expr, ranges);

export const boundsOfAffine = (affine: Affine, ranges: Ranges): Interval => boundsOfForm(bounded, affine, ranges);

const boundsOfExpr = (expr: Expr, ranges: Ranges): Interval => boundsOfNode(bounded, expr, ranges);

/**
 * Asks for little, and fast: a divisor is a constant, a choice is any of its sides, and a fact is about a sum of the same
 * terms. Each answer decides what code is generated, so one that knew more would be another version of it.
 */
const bounded: BoundedLanguage<Expr, RangeMemory> = {
  ...exprLanguage,
  boundsOfLeaf,
  boundsOfOperand: boundsOfExpr,
  boundsOfAtom: boundsOf,
  boundsOfDivisor: (by) => (by.kind === "const" ? { min: by.value, max: by.value } : unbounded),
  boundsFromFacts: factAbout,
  rangesOfSide: (_choice, _side, ranges) => ranges,
};

/** Looks up the interval that conditions give for the sum. Facts are kept in lowest terms, with a positive first coefficient. */
function factAbout({ terms, constant }: Affine, ranges: Ranges): Interval | null {
  if (terms.length < 2) return null;
  const factor = commonFactor(terms);
  const fact = ranges.get(termsKey(divideTerms(terms, factor)));
  return fact ? add(scale(fact, factor), { min: constant, max: constant }) : null;
}

function boundsOfLeaf(expr: Expr, ranges: Ranges): Interval {
  switch (expr.kind) {
    case "var":
    case "local":
      return ranges.get(expr.name) ?? unbounded;
    case "load":
      return valuesOf(expr.dtype);
    case "binary":
      return expr.dtype === "bool" ? valuesOf("bool") : unbounded;
    case "cast":
      return expr.dtype === "i32" ? valuesOf(expr.operand.dtype) : unbounded;
    case "ramp": {
      const { min, max } = boundsOfExpr(expr.base, ranges);
      const reach = expr.stride * (expr.lanes / lanesOf(expr.base) - 1);
      return { min: min + Math.min(0, reach), max: max + Math.max(0, reach) };
    }
    case "broadcast":
      return boundsOfExpr(expr.value, ranges);
    case "lanes":
      return expr.elements.map((element) => boundsOfExpr(element, ranges)).reduce(union);
    case "interleave":
    case "pick":
      return expr.parts.map((part) => boundsOfExpr(part, ranges)).reduce(union);
    case "const":
    case "select":
    case "unary":
    case "bitcast":
    case "fold":
    case "shuffle":
    case "intrinsic":
      return unbounded;
  }
}

function valuesOf(dtype: IrType): Interval {
  switch (dtype) {
    case "bool":
      return { min: 0, max: 1 };
    case "u8":
      return { min: 0, max: 255 };
    case "i8":
      return { min: -128, max: 127 };
    case "i16":
      return { min: -32768, max: 32767 };
    default:
      return unbounded;
  }
}
