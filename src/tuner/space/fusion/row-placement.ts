// Says whether a stage belongs to the rows of another. A maximum or a sum of each row is computed under the row loop of
// the stage that reads it last, so that the row is still in L1 when it is walked again.
//
//   Y.max[i], then Y.sum[i], then Y[i, j]   →   for Y.i: Y.max, Y.sum, for Y.j: Y[i, j]

import { isScheduledBy } from "../draft/rule-order.ts";
import { type Access, loopOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";

export interface RowPlacement {
  /** Name of the stage whose rows it belongs to. */
  readonly root: string;
  /** Loop over those rows. */
  readonly loop: string;
}

/** Returns the placement of a stage. Null: it has loops of its own. */
export function rowPlacementOf(stage: SchedulableStage, context: RuleContext): RowPlacement | null {
  if (stage.isOutput || stage.spatial.length === 0) return null;
  const readers = readersOf(stage, context);
  const root = context.stages.findLast((it) => readers?.includes(it));
  if (!readers || !root || !hasRows(root, stage, context)) return null;
  const loop = loopOf(root, root.spatial[stage.spatial.length - 1]!);
  const others = readers.filter((reader) => reader !== root);
  const isThere = (other: SchedulableStage): boolean =>
    placingRules.some((name) => isScheduledBy(other, name, context)) && rowPlacementOf(other, context)?.loop === loop;
  return others.every(isThere) ? { root: root.name, loop } : null;
}

/** Rules that compute a stage where its placement says: one that another rule has got, such as a tiling, has loops of its own. */
const placingRules = ["split-reduction", "row-reduction"] as const;

/** Says whether other stages are computed under a loop of this one. */
export const hasPlaced = (stage: SchedulableStage, context: RuleContext): boolean =>
  context.stages.some((it) => it.reduce.length > 0 && rowPlacementOf(it, context)?.root === stage.name);

/** Returns the stages that read it, directly or through inlined ones; null if one reads it across its rows. */
function readersOf(stage: SchedulableStage, context: RuleContext): readonly SchedulableStage[] | null {
  const direct = context.stages.filter(({ name }) => stage.readers.includes(name));
  const readsRows = (reader: SchedulableStage): boolean =>
    reader.reads.filter(({ buffer }) => buffer === stage.name).every((read) => isOfRow(read, reader));
  if (!direct.every(readsRows)) return null;
  const through = direct.map((reader) =>
    isScheduledBy(reader, "inline-stage", context) ? readersOf(reader, context) : [reader],
  );
  return through.some((it) => it === null) ? null : [...new Set(through.flatMap((it) => it ?? []))];
}

/** Says whether row i of the reader reads element [i]. */
const isOfRow = ({ dims, guarded }: Access, reader: SchedulableStage): boolean =>
  !guarded && dims.every((dim, at) => dim?.size === 1 && dim.get(reader.spatial[at]?.name ?? "") === 1);

/** Says whether the schedule keeps the loops over the rows, and cuts only loops inside them. */
function hasRows(root: SchedulableStage, stage: SchedulableStage, context: RuleContext): boolean {
  const depth = stage.spatial.length;
  if (!stage.spatial.every(({ extent }, at) => root.spatial[at]?.extent === extent)) return false;
  if (root.reduce.length > 0) return isScheduledBy(root, "split-reduction", context);
  return root.spatial.length > depth && isScheduledBy(root, "vectorize-map", context);
}
