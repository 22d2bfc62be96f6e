// The loops of a block that its spatial axes run over, copied under new names: for the blocks that initialise or write
// back what the block computes. The copies keep extent, mark and tail, so a vectorized loop stays vectorized.
//
//   for C.i.1, for C.k.1, vectorize for C.j.2: block C   →   for C.i.1.init, vectorize for C.j.2.init

import type { Block, BlockAxis, Expr, For } from "../ir/loop-ir.ts";
import { updateFor } from "../ir/update.ts";
import { substitute, varsIn } from "../ir/visit.ts";
import { invariant } from "../support/invariant.ts";
import { reduceVars } from "./nest.ts";

export interface SpatialCopy {
  readonly loops: readonly For[];
  readonly axes: readonly BlockAxis[];
  readonly bindings: readonly Expr[];
  /** Rewrites an expression over the original loops to one over the copies. */
  readonly rename: (expr: Expr) => Expr;
}

/** `loops` are those between the place of the copy and the block, which initialises its elements: `fuse` mixes no kinds. */
export function copySpatialLoops(block: Block, loops: readonly For[], suffix: string): SpatialCopy {
  const spatial = block.axes.flatMap((axis, at) =>
    axis.role === "spatial" ? [{ axis, binding: block.bindings[at]! }] : [],
  );
  const driven = new Set(spatial.flatMap(({ binding }) => [...varsIn(binding)]));
  const reducing = reduceVars(block);
  const copied = loops.filter((loop) => driven.has(loop.name));
  const mixed = copied.find((loop) => reducing.has(loop.name));
  invariant(!mixed, `${mixed?.name} drives spatial and reduce axes of ${block.name}`);
  const names = new Map(
    copied.map((loop): [string, Expr] => [loop.name, { kind: "var", dtype: "i32", name: `${loop.name}.${suffix}` }]),
  );
  const rename = (expr: Expr): Expr => substitute(expr, names);
  return {
    loops: copied.map((loop) => updateFor(loop, { name: `${loop.name}.${suffix}` })),
    axes: spatial.map(({ axis }) => axis),
    bindings: spatial.map(({ binding }) => rename(binding)),
    rename,
  };
}
