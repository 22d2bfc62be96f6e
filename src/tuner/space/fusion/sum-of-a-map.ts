// Map → the sum that it finishes on a GPU: it reads each of the results once, at its own place, itself or through maps that are computed
// where they are read; all else that it reads is there before the sum. Biases, activations and casts are such maps.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { type Draft, fuse, instruct } from "../draft/draft.ts";
import { isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { isInPlace } from "./in-place.ts";
import { fitOneLaunch, inlinedOn } from "./launch-arrays.ts";

export interface FinishedSum {
  readonly sums: SchedulableStage;
  /** Maps between the sums and the one that finishes them, in the order of the operator. */
  readonly between: readonly SchedulableStage[];
}

/** Returns the sum. Null: the stage finishes none. */
export function finishedSum(
  stage: SchedulableStage,
  { stages, task }: Pick<RuleContext<AcceleratorTarget>, "stages" | "task">,
): FinishedSum | null {
  if (!isMap(stage) || stage.spatial.some(({ isPart }) => isPart)) return null;
  const atOnce = inlinedOn(stages, task.target);
  const maps = [stage];
  const others = new Set<SchedulableStage>();
  for (const it of stages.slice(0, stages.indexOf(stage)).toReversed()) {
    const readers = maps.filter(({ name }) => it.readers.includes(name));
    if (readers.length === 0) continue;
    const isOwn = it.readers.length === 1 && readsInPlace(readers[0]!, it);
    if (isOwn && isMap(it) && atOnce.has(it.name)) maps.push(it);
    else others.add(it);
  }
  const sums = [...others].reduce<SchedulableStage | null>(
    (last, it) => (last && stages.indexOf(last) > stages.indexOf(it) ? last : it),
    null,
  );
  if (!sums || sums.reduce.length === 0 || sums.isOutput || sums.readers.length > 1) return null;
  const reader = maps.find(({ name }) => sums.readers.includes(name))!;
  const isOne = fitOneLaunch([sums, ...maps.toReversed()], stages, atOnce, task.target);
  return isOne && readsInPlace(reader, sums) ? { sums, between: maps.slice(1).toReversed() } : null;
}

/** Schedules the sums and the maps between with the map that finishes them. */
export function joined(draft: Draft, { sums, between }: FinishedSum): Draft {
  const fused = [sums, ...between].reduce((result, { name }) => fuse(result, name), draft);
  return instruct(fused, ...between.toReversed().map(({ name }) => ({ kind: "inline", block: name }) as const));
}

const readsInPlace = (reader: SchedulableStage, stage: SchedulableStage): boolean =>
  reader.reads.filter(({ buffer }) => buffer === stage.name).every((read) => isInPlace(read, reader, stage));
