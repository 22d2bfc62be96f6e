// Indices of accesses: those of single lanes, runs of neighbours that begin at a vector's or a word's start, and which vector or word an
// element lies in, where that is known whatever the variables are.

import { addConstant, fromAffine, toAffine } from "../../ir/affine.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { lanesOf } from "../../ir/visit.ts";
import { floorDiv, floorMod } from "../../support/integer-math.ts";

/** The first index of a run of neighbours that begins at a multiple of `width`; null: it is none. */
export function startOfRun(index: Expr, width: number): Expr | null {
  if (index.kind !== "ramp" || index.stride !== 1 || lanesOf(index.base) !== 1) return null;
  return dividedIndex(index.base, width)?.at === 0 ? index.base : null;
}

export interface DividedIndex {
  /** ⌊index / width⌋ */
  readonly quotient: Expr;
  /** The rest, a constant. */
  readonly at: number;
}

/** A scalar index by a number, where the rest is the same for all values of the variables; null: it is not. */
export function dividedIndex(index: Expr, width: number): DividedIndex | null {
  const { terms, constant } = toAffine(index);
  if (terms.some(({ coefficient }) => coefficient % width !== 0)) return null;
  const divided = terms.map((term) => ({ ...term, coefficient: term.coefficient / width }));
  const quotient = fromAffine({ terms: divided, constant: floorDiv(constant, width) });
  return { quotient, at: floorMod(constant, width) };
}

/** The index of one lane as an expression of its own; null: it is known to the vector alone. */
export function indexOfLane(index: Expr, lane: number): Expr | null {
  if (lanesOf(index) === 1) return index;
  switch (index.kind) {
    case "ramp": {
      const width = lanesOf(index.base);
      const base = indexOfLane(index.base, lane % width);
      const steps = Math.floor(lane / width) * index.stride;
      return base && fromAffine(addConstant(toAffine(base), steps));
    }
    case "broadcast":
      return indexOfLane(index.value, lane % lanesOf(index.value));
    case "lanes":
      return index.elements[lane]!;
    case "binary": {
      const [left, right] = [indexOfLane(index.left, lane), indexOfLane(index.right, lane)];
      return left && right && { ...index, left, right };
    }
    default:
      return null;
  }
}
