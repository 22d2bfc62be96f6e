// What part of a buffer the body of a loop touches: for each dimension where it starts, in terms of the loops around the
// body, and how many elements it spans. Exact for affine indices, the bounding box of several accesses.
//
//   in loop C.i.0:  A[C.i.0*12 + C.i.1, C.k], C.i.1 in 0..12, C.k in 0..97   →   [C.i.0*12, +12] × [0, +97]

import { type Affine, addConstant, fromAffine, toAffine } from "../ir/affine.ts";
import type { Expr, For } from "../ir/loop-ir.ts";

export interface DimRegion {
  /** First element, over the loops outside. */
  readonly start: Expr;
  readonly startAffine: Affine;
  readonly extent: number;
}

interface Access {
  /** The part that the loops outside decide, constant included; its smallest value over the loops inside is added. */
  readonly start: Affine;
  readonly extent: number;
}

/** Splits an index into what the loops inside add to it and the rest. Null if the index is not affine in loop variables. */
function accessOf(index: Expr, inside: ReadonlyMap<string, number>): Access | null {
  const affine = toAffine(index);
  let low = 0;
  let high = 0;
  const outer: Affine["terms"][number][] = [];
  for (const term of affine.terms) {
    if (term.atom.kind !== "var") return null;
    const extent = inside.get(term.atom.name);
    if (extent === undefined) outer.push(term);
    else if (term.coefficient > 0) high += term.coefficient * (extent - 1);
    else low += term.coefficient * (extent - 1);
  }
  return { start: addConstant({ ...affine, terms: outer }, low), extent: high - low + 1 };
}

const sameTerms = (a: Affine, b: Affine): boolean =>
  a.terms.length === b.terms.length &&
  a.terms.every((term) =>
    b.terms.some(
      (other) =>
        term.atom.kind === "var" &&
        other.atom.kind === "var" &&
        term.atom.name === other.atom.name &&
        term.coefficient === other.coefficient,
    ),
  );

/** The bounding box of accesses, each a list of indices over loop variables. Null if no box fits all of them. */
export function boundingBox(accesses: readonly (readonly Expr[])[], inside: readonly For[]): DimRegion[] | null {
  const extents = new Map(inside.map((loop) => [loop.name, loop.extent]));
  const rank = accesses[0]?.length ?? 0;
  const box: DimRegion[] = [];
  for (let dim = 0; dim < rank; dim++) {
    const parts = accesses.map((indices) => accessOf(indices[dim]!, extents));
    const first = parts[0];
    if (!first || parts.some((part) => !part || !sameTerms(part.start, first.start))) return null;
    const low = Math.min(...parts.map((part) => part!.start.constant));
    const high = Math.max(...parts.map((part) => part!.start.constant + part!.extent));
    const startAffine = { ...first.start, constant: low };
    box.push({ start: fromAffine(startAffine), startAffine, extent: high - low });
  }
  return box;
}
