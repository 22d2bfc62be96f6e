// Loops of a block's reduction: those that its reduce axes depend on and no spatial axis does. A loop that drives both
// kinds of axes keeps partial results apart, and reduces nothing.

import { remembered } from "../support/remembered.ts";
import type { Block, BlockAxis, Expr } from "./loop-ir.ts";
import { addVars } from "./visit.ts";

export interface BoundRole {
  readonly role: BlockAxis["role"];
  readonly binding: Expr;
}

/** Names of the loops. */
export function reduceLoopsOf(axes: readonly BoundRole[]): ReadonlySet<string> {
  const [reduce, spatial] = [new Set<string>(), new Set<string>()];
  for (const { role, binding } of axes) addVars(binding, role === "reduce" ? reduce : spatial);
  for (const name of spatial) reduce.delete(name);
  return reduce;
}

export const reduceLoopsOfBlock = remembered(
  ({ axes, bindings }: Block): ReadonlySet<string> =>
    reduceLoopsOf(axes.map(({ role }, at) => ({ role, binding: bindings[at]! }))),
);
