// A stage that an earlier rule placed under a loop of its reader, as the rules see it: shorter axes, run several times.

import type { RankingFacts } from "../../prior/ranker.ts";
import type { Draft, Estimate, Placement } from "./draft.ts";
import type { SchedulableStage, SpatialAxis } from "./schedulable-stage.ts";

export const shrunk = (
  stage: SchedulableStage,
  { extents, block }: Pick<Placement, "extents" | "block">,
): SchedulableStage => ({
  ...stage,
  ...(block ? { shared: [...new Set([...block.shared, ...(stage.shared ?? [])])] } : {}),
  spatial: stage.spatial.map((axis): SpatialAxis => {
    const extent = extents.get(axis.name) ?? axis.extent;
    if (block?.axis === axis.name)
      return { ...axis, extent, isPart: true, size: block.size, ...(block.loop ? { loop: block.loop } : {}) };
    if (block?.outside.includes(axis.name)) return { ...axis, extent, isPart: true, isOutside: true };
    return extent === axis.extent ? axis : { ...axis, extent, isPart: true };
  }),
});

/** Returns the stages as a draft has placed them. */
export function stagesIn({ placed }: Draft, stages: readonly SchedulableStage[]): readonly SchedulableStage[] {
  if (placed.length === 0) return stages;
  return stages.map((stage) => {
    const placement = placed.find((it) => it.stage === stage.name);
    return placement ? shrunk(stage, placement) : stage;
  });
}

/** Estimates all parts of a placed stage. */
export const inAllParts =
  (estimate: Estimate, { times, block }: Placement): Estimate =>
  (assignment) => {
    if (!block) return repeated(estimate, times)(assignment);
    const blocks = Math.ceil(block.rows / assignment[block.size]!);
    return { ...repeated(estimate, times * blocks)(assignment), bytesFromMemory: block.bytesFromMemory };
  };

/** Estimates `times` runs. Shared data comes from memory once: later runs find it in a cache. */
export const repeated =
  (estimate: Estimate, times: number): Estimate =>
  (assignment) => {
    const facts = estimate(assignment);
    const all = (count: number): number => count * times;
    return {
      ...facts,
      flops: all(facts.flops),
      bytesFromL2: all(facts.bytesFromL2),
      bytesFromL3: all(facts.bytesFromL3),
      bytesFromMemory: facts.bytesFromMemory,
      packedBytes: all(facts.packedBytes),
      loopIterations: all(facts.loopIterations),
    } satisfies RankingFacts;
  };
