// The loops of a block that its spatial axes run over, copied under new names: for the blocks that initialise or write
// back what the block computes. The copies keep extent, mark and tail, so a vectorized loop stays vectorized.
//
//   for C.i.1, for C.k.1, vectorize for C.j.2: block C   →   for C.i.1.init, vectorize for C.j.2.init

import { variable } from "../ir/build.ts";
import type { Block, BlockAxis, Expr, For, LoopFunc } from "../ir/loop-ir.ts";
import { updateFor } from "../ir/update.ts";
import { substitute, varsIn } from "../ir/visit.ts";
import { freshName } from "../support/fresh-name.ts";
import { invariant } from "../support/invariant.ts";
import { loopsIn, reduceVars } from "./nest.ts";

export interface SpatialCopy {
  readonly loops: readonly For[];
  readonly axes: readonly BlockAxis[];
  readonly bindings: readonly Expr[];
  /** Rewrites an expression over the original loops to one over the copies. */
  readonly rename: (expr: Expr) => Expr;
}

/** Names the copies of loops. Blocks that share a loop may each have a copy of it. */
export function copyNames(nest: LoopFunc, suffix: string): (loop: For) => string {
  const taken = new Set(loopsIn(nest.body).map(({ name }) => name));
  return ({ name }) => freshName(`${name}.${suffix}`, (it) => taken.has(it));
}

/** `loops` are those between the place of the copy and the block, which initialises its elements: `fuse` mixes no kinds. */
export function copySpatialLoops(nest: LoopFunc, block: Block, loops: readonly For[], suffix: string): SpatialCopy {
  const spatial = block.axes.flatMap((axis, at) =>
    axis.role === "spatial" ? [{ axis, binding: block.bindings[at]! }] : [],
  );
  const driven = new Set(spatial.flatMap(({ binding }) => [...varsIn(binding)]));
  const reducing = reduceVars(block);
  const copied = loops.filter((loop) => driven.has(loop.name));
  const mixed = copied.find((loop) => reducing.has(loop.name));
  invariant(!mixed, `${mixed?.name} drives spatial and reduce axes of ${block.name}`);
  const nameOf = copyNames(nest, suffix);
  const copies = copied.map((loop) => updateFor(loop, { name: nameOf(loop) }));
  const names = new Map(copied.map(({ name }, at) => [name, variable(copies[at]!.name)]));
  const rename = (expr: Expr): Expr => substitute(expr, names);
  return {
    loops: copies,
    axes: spatial.map(({ axis }) => axis),
    bindings: spatial.map(({ binding }) => rename(binding)),
    rename,
  };
}
