// Finds the part of a buffer that the body of a loop touches: for each dimension the start, in terms of the loops
// around the body, the number of elements, and the step. The smallest such region around all accesses; exact for one
// access whose dimensions are driven by one loop each.
//
//   in loop C.i.0:  A[C.i.0*12 + C.i.1, 2*C.k], C.i.1 in 0..12, C.k in 0..97   →   [C.i.0*12, +12] × [0, +193 step 2]
//
// Quotients and remainders, as `fuse` and tiled layouts leave them, count as one variable each.

import type { Interval } from "../affine/interval.ts";
import { type Affine, addAffine, addConstant, fromAffine, toAffine } from "../ir/affine.ts";
import { boundsOf } from "../ir/bounds.ts";
import { constInt } from "../ir/build.ts";
import { exprKey } from "../ir/expr-key.ts";
import type { Expr, For } from "../ir/loop-ir.ts";
import { type Ranges, rangesOf } from "../ir/ranges.ts";
import { simplifyAffine } from "../ir/simplify.ts";
import { substitute, varsIn } from "../ir/visit.ts";
import { gcd } from "../support/integer-math.ts";
import { invariant } from "../support/invariant.ts";

export interface DimRegion {
  /** First element, over the loops outside. */
  readonly start: Expr;
  readonly startAffine: Affine;
  /** Elements from the first to the last, both included. */
  readonly extent: number;
  /** Distance of the elements touched; 1 if there is but one. */
  readonly step: number;
}

interface IndexSpan {
  /** The part that the loops outside decide, constant included; its smallest value over the loops inside is added. */
  readonly start: Affine;
  readonly extent: number;
  /** Greatest common divisor of what the loops inside add; 0 if that is nothing. */
  readonly step: number;
}

/** A variable, or a quotient or remainder of a sum of such by a constant. */
const isCounter = (atom: Expr): boolean =>
  atom.kind === "var" ||
  (atom.kind === "binary" &&
    atom.op === "min" &&
    [atom.left, atom.right].every((side) => toAffine(side).terms.every((term) => isCounter(term.atom)))) ||
  (atom.kind === "binary" &&
    (atom.op === "floorDiv" || atom.op === "mod") &&
    atom.right.kind === "const" &&
    toAffine(atom.left).terms.every((term) => isCounter(term.atom)));

/** An index as a sum, with quotients and remainders resolved as far as the ranges tell. */
const sumOf = (index: Expr, ranges: Ranges): Affine => {
  const affine = toAffine(index);
  return affine.terms.every(({ atom }) => atom.kind === "var") ? affine : simplifyAffine(index, ranges);
};

/** Splits an index into what the loops inside add to it and the rest. Null if some part of it depends on both. */
function accessOf(index: Expr, inside: Ranges, all: Ranges): IndexSpan | null {
  const affine = sumOf(index, all);
  let [low, high, step] = [0, 0, 0];
  const outer: Affine["terms"][number][] = [];
  for (const term of affine.terms) {
    const range = rangeInside(term.atom, inside);
    if (range === "mixed") return null;
    if (range === "outside") {
      outer.push(term);
      continue;
    }
    const ends = [term.coefficient * range.min, term.coefficient * range.max];
    low += Math.min(...ends);
    high += Math.max(...ends);
    if (range.max > range.min) step = gcd(Math.abs(term.coefficient), step);
  }
  return { start: addConstant({ ...affine, terms: outer }, low), extent: high - low + 1, step };
}

/** The values that loops inside give an atom. */
function rangeInside(atom: Expr, inside: Ranges): Interval | "outside" | "mixed" {
  if (atom.kind === "var") return inside.get(atom.name) ?? "outside";
  if (!isCounter(atom)) return "mixed";
  const names = [...varsIn(atom)];
  if (names.every((name) => !inside.has(name))) return "outside";
  return names.every((name) => inside.has(name)) ? boundsOf(atom, inside) : "mixed";
}

const sameTerms = (a: Affine, b: Affine): boolean =>
  a.terms.length === b.terms.length &&
  a.terms.every(({ atom, coefficient }, at) => {
    const other = b.terms[at]!;
    return coefficient === other.coefficient && exprKey(atom) === exprKey(other.atom);
  });

const haveSameStart = (parts: readonly IndexSpan[]): boolean =>
  parts.every(({ start }) => sameTerms(start, parts[0]!.start));

/** Loops of one iteration are 0, and may be left out of some of the accesses. */
const withoutStill = (part: IndexSpan, ranges: Ranges): IndexSpan => {
  const moves = ({ atom }: Affine["terms"][number]): boolean => atom.kind !== "var" || ranges.get(atom.name)?.max !== 0;
  return { ...part, start: { ...part.start, terms: part.start.terms.filter(moves) } };
};

/**
 * The region of accesses, each a list of indices over loop variables. Null if no box fits all of them. Knowing the loops
 * around, quotients split: (2·o + i) floorDiv 2 is o, for i in 0..2.
 */
export function boundingBox(
  accesses: readonly (readonly Expr[])[],
  inside: readonly For[],
  around: readonly For[] = [],
): DimRegion[] | null {
  const ranges = rangesOf(inside);
  const all = rangesOf([...around, ...inside]);
  const rank = accesses[0]?.length ?? 0;
  const box: DimRegion[] = [];
  for (let dim = 0; dim < rank; dim++) {
    const found = accesses.map((indices) => accessOf(indices[dim]!, ranges, all)).filter((part) => part !== null);
    if (found.length < accesses.length) return null;
    const parts = haveSameStart(found) ? found : found.map((part) => withoutStill(part, all));
    const first = parts[0];
    if (!first || !haveSameStart(parts)) return null;
    const low = Math.min(...parts.map(({ start }) => start.constant));
    const high = Math.max(...parts.map(({ start, extent }) => start.constant + extent));
    const step = parts.reduce((size, part) => gcd(part.start.constant - low, gcd(part.step, size)), 0);
    const startAffine = { ...first.start, constant: low };
    box.push({ start: fromAffine(startAffine), startAffine, extent: high - low, step: step || 1 });
  }
  return box;
}

/** Returns the distance of an index from the start of its dimension's region; `loops` are those that `boundingBox` was given. */
export const fromStart = (index: Expr, { startAffine }: DimRegion, loops: readonly For[]): Expr =>
  fromAffine(addAffine(sumOf(index, rangesOf(loops)), startAffine, -1));

/** Number of elements touched along a dimension. */
export const countOf = ({ extent, step }: DimRegion): number => (extent - 1) / step + 1;

/** Returns the same distance in steps. Loops of one iteration may have strides of their own: they move nothing. */
export function stepsFromStart(index: Expr, dim: DimRegion, inside: readonly For[], around: readonly For[] = []): Expr {
  const distance = fromStart(index, dim, [...around, ...inside]);
  if (dim.step === 1) return distance;
  const still = new Map(inside.filter(({ extent }) => extent === 1).map(({ name }) => [name, constInt(0)]));
  const { terms, constant } = toAffine(substitute(distance, still));
  const steps = terms.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / dim.step }));
  const whole = [constant / dim.step, ...steps.map(({ coefficient }) => coefficient)].every(Number.isInteger);
  invariant(whole, "a distance in a region is a whole number of steps");
  return fromAffine({ terms: steps, constant: constant / dim.step });
}
