// Map → the sums that it finishes: it reads each of the results once, at its own place, itself or through maps that are computed where they
// are read. Biases, activations, gates and casts are such maps.
//
//   C.sum[i, j] = Σ …      C[i, j] = C.sum[i, j] + bias[j]      S[i, j] = 1 / (1 + exp(-C[i, j]))      out[i, j] = C[i, j] · S[i, j]

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

/** A map and those that are computed at its own places. */
interface Maps {
  /** The maps, the last one first. */
  readonly maps: readonly SchedulableStage[];
  /** The stages that they read, each after those that read it. */
  readonly read: readonly SchedulableStage[];
}

/**
 * Returns the sums that no other stage reads than the map and those within it, in the order of the operator.
 *
 * @param inlined names of the stages that are computed where they are read
 */
export function sumsFinishedBy(
  stage: SchedulableStage,
  stages: readonly SchedulableStage[],
  inlined: ReadonlySet<string>,
): readonly FinishedSum[] {
  const within = mapsWithin(stage, stages, inlined);
  return within.read
    .filter((it) => isFinished(it, within))
    .toReversed()
    .map((it) => finishedBy(it, within));
}

/**
 * Returns the sum that a stage of a GPU's launch finishes: all else that it reads is there before. Null: the stage finishes none.
 */
export function finishedSum(
  stage: SchedulableStage,
  { stages, task }: Pick<RuleContext<AcceleratorTarget>, "stages" | "task">,
): FinishedSum | null {
  if (stage.spatial.some(({ isPart }) => isPart)) return null;
  const atOnce = inlinedOn(stages, task.target);
  const within = mapsWithin(stage, stages, atOnce);
  const [last] = within.read;
  if (!last || !isFinished(last, within)) return null;
  const isOne = fitOneLaunch([last, ...within.maps.toReversed()], stages, atOnce, task.target);
  return isOne ? finishedBy(last, within) : null;
}

/** Schedules the sums and the maps between with the map that finishes them. */
export function joined(draft: Draft, { sums, between }: FinishedSum): Draft {
  const fused = [sums, ...between].reduce((result, { name }) => fuse(result, name), draft);
  return instruct(fused, ...between.toReversed().map(({ name }) => ({ kind: "inline", block: name }) as const));
}

function mapsWithin(stage: SchedulableStage, stages: readonly SchedulableStage[], inlined: ReadonlySet<string>): Maps {
  if (!isMap(stage)) return { maps: [], read: [] };
  const maps = [stage];
  const read: SchedulableStage[] = [];
  for (const it of stages.slice(0, stages.indexOf(stage)).toReversed()) {
    if (!maps.some(({ name }) => it.readers.includes(name))) continue;
    if (isMap(it) && inlined.has(it.name) && areReadInPlace(it, maps)) maps.push(it);
    else read.push(it);
  }
  return { maps, read };
}

const isFinished = (it: SchedulableStage, { maps }: Maps): boolean =>
  it.reduce.length > 0 && it.spatial.length > 0 && !it.isOutput && areReadInPlace(it, maps);

const finishedBy = (sums: SchedulableStage, { maps }: Maps): FinishedSum => ({
  sums,
  between: maps.slice(1).toReversed(),
});

/** Says whether the maps alone read the results of a stage, each of them at its own place. */
const areReadInPlace = (it: SchedulableStage, maps: readonly SchedulableStage[]): boolean =>
  it.readers.every((name) => {
    const reader = maps.find((map) => map.name === name);
    const reads = reader?.reads.filter(({ buffer }) => buffer === it.name);
    return reads?.every((read) => isInPlace(read, reader!, it)) === true;
  });
