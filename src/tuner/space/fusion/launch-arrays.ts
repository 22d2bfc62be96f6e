// Arrays that a launch names: machines have room for so many. Stages that would name more together are computed apart.

import { type AcceleratorTarget, remembered } from "../../../compiler/index.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { inlinedStages } from "./inlined-stages.ts";

const mostArrays = ({ limits }: AcceleratorTarget): number => limits.arraysPerLaunch ?? Number.POSITIVE_INFINITY;

const buffersOf = ({ reads }: SchedulableStage): readonly string[] => reads.map(({ buffer }) => buffer);

/**
 * Says whether one launch may compute some stages, of which the last alone, and those that are results, are stored.
 *
 * @param inlined names of the stages that are computed where they are read
 */
export function fitOneLaunch(
  members: readonly SchedulableStage[],
  stages: readonly SchedulableStage[],
  inlined: ReadonlySet<string>,
  target: AcceleratorTarget,
): boolean {
  const most = mostArrays(target);
  if (most === Number.POSITIVE_INFINITY) return true;
  const known = new Map(stages.map((stage) => [stage.name, stage]));
  const own = new Set(members.map(({ name }) => name));
  const arrays = new Set([...members.filter(({ isOutput }) => isOutput), members.at(-1)!].map(({ name }) => name));
  const open = members.flatMap(buffersOf);
  const seen = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || own.has(name)) continue;
    seen.add(name);
    if (inlined.has(name)) open.push(...buffersOf(known.get(name)!));
    else arrays.add(name);
  }
  return arrays.size <= most;
}

const inlinedWithin = remembered((stages: readonly SchedulableStage[]) =>
  remembered((target: AcceleratorTarget): ReadonlySet<string> => {
    const inlined = new Set<string>();
    for (const { name, readers } of stages.filter((stage) => inlinedStages(stages).has(stage.name))) {
      const larger = new Set([...inlined, name]);
      const reading = stages.filter((stage) => readers.includes(stage.name));
      // A reader that is inlined itself is counted again in its own reader, with all that it reads.
      const fits = (stage: SchedulableStage): boolean => fitOneLaunch([stage], stages, larger, target);
      if (reading.every(fits)) inlined.add(name);
    }
    return inlined;
  }),
);

/** Names of the stages that are computed where they are read, on a machine whose launches name so many arrays. */
export const inlinedOn = (stages: readonly SchedulableStage[], target: AcceleratorTarget): ReadonlySet<string> =>
  mostArrays(target) === Number.POSITIVE_INFINITY ? inlinedStages(stages) : inlinedWithin(stages)(target);
