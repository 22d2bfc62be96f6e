// Which loops a block's reduction runs over: those that its reduce axes depend on and no spatial axis does. A loop that
// tells the elements of partial results apart drives both kinds of axes, and reduces nothing.

import type { Block, BlockAxis, Expr } from "./loop-ir.ts";
import { varsIn } from "./visit.ts";

export interface BoundRole {
  readonly role: BlockAxis["role"];
  readonly binding: Expr;
}

/** Names of the loops. */
export function reduceLoopsOf(axes: readonly BoundRole[]): ReadonlySet<string> {
  const loopsOf = (wanted: BlockAxis["role"]): string[] =>
    axes.flatMap(({ role, binding }) => (role === wanted ? [...varsIn(binding)] : []));
  const spatial = new Set(loopsOf("spatial"));
  return new Set(loopsOf("reduce").filter((name) => !spatial.has(name)));
}

export const reduceLoopsOfBlock = ({ axes, bindings }: Block): ReadonlySet<string> =>
  reduceLoopsOf(axes.map(({ role }, at) => ({ role, binding: bindings[at]! })));
