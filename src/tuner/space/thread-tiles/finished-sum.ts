// Map → the sum that it finishes: it reads each of the results once, at its own place, and all else that it reads is there before the
// sum. Biases, activations and casts are such maps.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { type Access, isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";

/** Returns the sum. Null: the stage finishes none. */
export function finishedSum(
  stage: SchedulableStage,
  { stages, task }: Pick<RuleContext<AcceleratorTarget>, "stages" | "task">,
): SchedulableStage | null {
  if (!isMap(stage) || stage.spatial.some(({ isPart }) => isPart)) return null;
  const producers = stages.filter(({ name }) => stage.reads.some(({ buffer }) => buffer === name));
  const sums = producers.at(-1);
  if (!sums || sums.reduce.length === 0 || sums.isOutput || sums.readers.length > 1) return null;
  const isInput = ({ buffer }: Access): boolean => task.op.inputs.some(({ name }) => name === buffer);
  const isReady = (read: Access): boolean =>
    read.buffer === sums.name
      ? isInPlace(read, stage, sums)
      : isInput(read) || producers.some(({ name }) => name === read.buffer);
  return stage.reads.every(isReady) ? sums : null;
}

/** Says whether element [i, j] is made of element [i, j]. */
const isInPlace = ({ dims, guarded, count }: Access, { spatial }: SchedulableStage, sums: SchedulableStage): boolean =>
  !guarded &&
  count === 1 &&
  dims.length === spatial.length &&
  spatial.every(({ name, extent }, at) => {
    const dim = dims[at];
    return dim?.size === 1 && dim.get(name) === 1 && extent === sums.spatial[at]?.extent;
  });
