// A stage that an earlier rule placed under a loop of its reader, as the rules see it: shorter axes, run several times.

import type { RankingFacts } from "../cost-model/ranker.ts";
import type { Estimate, Placement } from "./draft.ts";
import type { SchedulableStage } from "./schedulable-stage.ts";

export const shrunk = (stage: SchedulableStage, { extents }: Pick<Placement, "extents">): SchedulableStage => ({
  ...stage,
  spatial: stage.spatial.map((axis) => {
    const extent = extents.get(axis.name) ?? axis.extent;
    return extent === axis.extent ? axis : { ...axis, extent, isPart: true };
  }),
});

/** What `times` runs cost. What they share comes from memory once: that is not counted again, it is in a cache. */
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
