// Stages that would be inlined, but are read at several places, as the first pass of a blur: computing them once and reading them again may
// take less than computing them for each place.

import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { inlinedStages, inlinedWork } from "./inlined-stages.ts";

/** Most stages of an operator that is looked at. */
const mostStages = 32;

/**
 * Returns the names of the stages that the stage is made of, directly or not, and of which it or another of them reads several elements; but for
 * those of later stages, which have decided about them.
 */
export function keptStages(stage: SchedulableStage, stages: readonly SchedulableStage[]): ReadonlySet<string> {
  const kept = new Set<string>();
  if (stages.length > mostStages) return kept;
  const inlined = inlinedStages(stages);
  const later = stages.slice(stages.indexOf(stage) + 1).filter(({ name }) => !inlined.has(name));
  const readers = [stage];
  for (const it of stages.slice(0, stages.indexOf(stage)).toReversed()) {
    if (!inlined.has(it.name) || later.some(({ name }) => inlinedWork(stages, name).places.has(it))) continue;
    const isRepeated = readers.some((reader) => (inlinedWork(stages, reader.name, kept).places.get(it) ?? 0) > 1);
    if (!isRepeated) continue;
    kept.add(it.name);
    readers.push(it);
  }
  return kept;
}
