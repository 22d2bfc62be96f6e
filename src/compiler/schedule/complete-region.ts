// Finds the part of a buffer that is complete after an iteration of a loop of the nest that computes it.
//
//   for i.0, for j, for k, for i.1: C[i.0*4 + i.1, j] += …      after an iteration of i.0:  [i.0*4, +4] × [0, +7]
//                                                               after one of k:             [i.0*4, +4] × [j, +1]
//                                                               and only if it is the last of k

import { toAffine } from "../ir/affine.ts";
import type { Block, Expr, For, LoopFunc } from "../ir/loop-ir.ts";
import { varsIn } from "../ir/visit.ts";
import { buffersRead } from "./dataflow.ts";
import { bindAxes, blocksIn, findLoop, loopsIn, reduceVars } from "./nest.ts";
import { boundingBox, type DimRegion } from "./region.ts";

export interface CompleteRegion {
  readonly box: readonly DimRegion[];
  /** Reduce loops among those around the point, the one that it ends included: the region is complete only after their last iterations. */
  readonly last: readonly For[];
  /** Whether no two iterations of the loops around complete the same element. */
  readonly once: boolean;
}

export type Completion =
  | { readonly kind: "complete"; readonly region: CompleteRegion }
  | { readonly kind: "not-affine" | "in-parts" };

/** `writers` are the blocks that write the buffer, all of them under the loop. */
export function completeAfter(nest: LoopFunc, loopName: string, writers: readonly Block[]): Completion {
  const { loop, around } = findLoop(nest, loopName)!;
  const inside = loopsIn(loop.body);
  const written = writers.map((block) => block.indices.map((index) => bindAxes(block, index)));
  const box = boundingBox(written, inside);
  if (!box) return { kind: "not-affine" };
  if (!written.some((indices) => fills(indices, inside, box))) return { kind: "in-parts" };
  const outer = [...around, loop].filter(({ extent }) => extent > 1);
  const moving = new Set(box.flatMap(({ start }) => [...varsIn(start)]));
  const reducing = new Set(feeders(blocksIn(loop), writers).flatMap((block) => [...reduceVars(block)]));
  // A loop must be one or the other: under one that is neither the box is computed again and again.
  if (outer.some(({ name }) => moving.has(name) === reducing.has(name))) return { kind: "in-parts" };
  const last = outer.filter(({ name }) => reducing.has(name));
  return { kind: "complete", region: { box, last, once: isOnce(box, outer) } };
}

/** The writers and what they are computed from, as far as it is among `blocks`. */
function feeders(blocks: readonly Block[], writers: readonly Block[]): readonly Block[] {
  const found = new Set(writers);
  for (const block of found) {
    const operands = buffersRead(block);
    for (const other of blocks) if (operands.has(other.buffer)) found.add(other);
  }
  return [...found];
}

/** Says whether the access touches every element of the box: each dimension is driven by loops of its own, without gaps. */
export function fills(indices: readonly Expr[], inside: readonly For[], box: readonly DimRegion[]): boolean {
  const extents = new Map(inside.filter(({ extent }) => extent > 1).map(({ name, extent }) => [name, extent]));
  const taken = new Set<string>();
  return indices.every((index, dim) => {
    const { extent, step } = box[dim]!;
    const terms = toAffine(index).terms.filter(({ atom }) => [...varsIn(atom)].some((name) => extents.has(name)));
    const bySize = terms.toSorted((a, b) => Math.abs(a.coefficient) - Math.abs(b.coefficient));
    let reach = 0;
    for (const { atom, coefficient } of bySize) {
      const stride = Math.abs(coefficient);
      if (atom.kind !== "var" || taken.has(atom.name) || stride > reach + step) return false;
      taken.add(atom.name);
      reach += stride * (extents.get(atom.name)! - 1);
    }
    return reach === extent - 1;
  });
}

/** Says whether the boxes of different iterations of the loops outside do not meet. */
function isOnce(box: readonly DimRegion[], outer: readonly For[]): boolean {
  const extents = new Map(outer.map(({ name, extent }) => [name, extent]));
  const taken = new Set<string>();
  return box.every(({ startAffine, extent }) => {
    let reach = extent;
    for (const { atom, coefficient } of startAffine.terms.toReversed()) {
      if (atom.kind !== "var" || !extents.has(atom.name) || taken.has(atom.name)) return false;
      if (Math.abs(coefficient) < reach) return false;
      taken.add(atom.name);
      reach = Math.abs(coefficient) * (extents.get(atom.name)! - 1) + reach;
    }
    return true;
  });
}
