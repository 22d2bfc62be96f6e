// i32 expression + ranges of its variables → the interval of its values. Exact where each variable occurs once, and
// never too small.

import { type Affine, type AffineTerm, termsKey, toAffine } from "./affine.ts";
import { exprKey } from "./expr-key.ts";
import { isLargeExpr } from "./graph.ts";
import { type Interval, intersect, isBounded, unbounded, union } from "./interval.ts";
import { lanesOf } from "./lanes.ts";
import type { Binary, Expr, IrType } from "./loop-ir.ts";
import type { Ranges } from "./ranges.ts";

/** Bounds of an expression. A large one has those of its type: to look at what it uses again and again would have no end. */
export const boundsOf = (expr: Expr, ranges: Ranges): Interval =>
  isLargeExpr(expr) ? valuesOf(expr.dtype) : boundsOfNode(expr, ranges);

function boundsOfNode(expr: Expr, ranges: Ranges): Interval {
  switch (expr.kind) {
    case "const":
      return { min: expr.value, max: expr.value };
    case "var":
      return ranges.get(expr.name) ?? unbounded;
    case "local":
      return unbounded;
    case "load":
      return valuesOf(expr.dtype);
    case "unary":
      return expr.op === "neg" && expr.dtype === "i32" ? boundsOfAffine(toAffine(expr), ranges) : unbounded;
    case "binary":
      return boundsOfBinary(expr, ranges);
    case "select":
      return union(boundsOfNode(expr.then, ranges), boundsOfNode(expr.else, ranges));
    case "cast":
      return expr.dtype === "i32" ? valuesOf(expr.operand.dtype) : unbounded;
    case "bitcast":
    case "intrinsic":
      return unbounded;
    case "ramp": {
      const { min, max } = boundsOfNode(expr.base, ranges);
      const reach = expr.stride * (expr.lanes / lanesOf(expr.base) - 1);
      return { min: min + Math.min(0, reach), max: max + Math.max(0, reach) };
    }
    case "broadcast":
      return boundsOfNode(expr.value, ranges);
    case "lanes":
      return expr.elements.map((element) => boundsOfNode(element, ranges)).reduce(union);
    case "interleave":
      return expr.parts.map((part) => boundsOfNode(part, ranges)).reduce(union);
  }
}

export function boundsOfAffine({ terms, constant }: Affine, ranges: Ranges): Interval {
  let min = constant;
  let max = constant;
  for (const { atom, coefficient } of terms) {
    const bounds = boundsOfAtom(atom, ranges);
    min += coefficient * (coefficient > 0 ? bounds.min : bounds.max);
    max += coefficient * (coefficient > 0 ? bounds.max : bounds.min);
  }
  const fact = terms.length > 1 && ranges.hasFacts ? factAbout(terms, ranges) : null;
  return fact ? intersect({ min, max }, { min: fact.min + constant, max: fact.max + constant }) : { min, max };
}

/** Looks up the interval that conditions give for the sum. Facts are kept in lowest terms, with a positive first coefficient. */
function factAbout(terms: readonly AffineTerm[], ranges: Ranges): Interval | null {
  const size = terms.reduce((divisor, { coefficient }) => gcd(Math.abs(coefficient), divisor), 0);
  const scale = terms[0]!.coefficient > 0 ? size : -size;
  const lowest = terms.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / scale }));
  const fact = ranges.get(termsKey(lowest));
  if (!fact) return null;
  const [a, b] = [fact.min * scale, fact.max * scale];
  return { min: Math.min(a, b), max: Math.max(a, b) };
}

export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function boundsOfAtom(atom: Expr, ranges: Ranges): Interval {
  const bounds = boundsOf(atom, ranges);
  const fact = atom.kind !== "var" && ranges.hasFacts ? ranges.get(exprKey(atom)) : null;
  return fact ? intersect(bounds, fact) : bounds;
}

function boundsOfBinary(expr: Binary, ranges: Ranges): Interval {
  if (expr.dtype !== "i32") return expr.dtype === "bool" ? { min: 0, max: 1 } : unbounded;
  switch (expr.op) {
    case "add":
    case "sub":
      return boundsOfAffine(toAffine(expr), ranges);
    case "mul":
      return boundsOfProduct(expr, ranges);
    case "floorDiv":
    case "mod":
      return boundsOfDivision(expr, ranges);
    case "min":
    case "max": {
      const a = boundsOfNode(expr.left, ranges);
      const b = boundsOfNode(expr.right, ranges);
      const pick = expr.op === "min" ? Math.min : Math.max;
      return { min: pick(a.min, b.min), max: pick(a.max, b.max) };
    }
    default:
      return unbounded;
  }
}

function boundsOfProduct(expr: Binary, ranges: Ranges): Interval {
  if (expr.left.kind === "const" || expr.right.kind === "const") return boundsOfAffine(toAffine(expr), ranges);
  const a = boundsOfNode(expr.left, ranges);
  const b = boundsOfNode(expr.right, ranges);
  if (!isBounded(a) || !isBounded(b)) return unbounded;
  const corners = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
  return { min: Math.min(...corners), max: Math.max(...corners) };
}

function boundsOfDivision({ op, left, right }: Binary, ranges: Ranges): Interval {
  const by = right.kind === "const" ? right.value : 0;
  if (by <= 0) return unbounded;
  const { min, max } = boundsOfNode(left, ranges);
  const first = Math.floor(min / by);
  const last = Math.floor(max / by);
  if (op === "floorDiv") return { min: first, max: last };
  return first === last && isBounded({ min, max })
    ? { min: min - first * by, max: max - first * by }
    : { min: 0, max: by - 1 };
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
