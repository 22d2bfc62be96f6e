// Rule `vector-maps`: maps whose threads take neighbouring elements as vectors, and further vectors a group apart.
//
//   for y.i+y.j.0.0: blockIdx.x
//     for y.i+y.j.0.1 written out
//       for y.i+y.j.0.2: threadIdx.x
//         lanes of y.j.1

import { type AcceleratorTarget, loopName } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import {
  atMost,
  type Draft,
  decide,
  type Estimate,
  estimate,
  instruct,
  product,
  tilesOf,
  tunable,
} from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import { isMap, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { isVectorizable } from "../draft/vector-axis.ts";
import {
  bytesOf,
  bytesReadBy,
  elementsOf,
  loadOfGroups,
  operationsIn,
  otherFacts,
  valueIn,
} from "../estimate/group-load.ts";
import { named } from "./tile-choices.ts";

export const mapThreadsOf = ({ name }: SchedulableStage): string => `${name}.map-threads`;
export const mapUnrollOf = ({ name }: SchedulableStage): string => `${name}.map-unroll`;
export const mapLanesOf = ({ name }: SchedulableStage): string => `${name}.map-lanes`;
export const mapGroupsOf = ({ name }: SchedulableStage): string => `${name}.map-groups`;

export const vectorMaps: SpaceRule<AcceleratorTarget> = {
  name: "vector-maps",
  applies: (stage) => isMap(stage) && stage.spatial.every(({ isPart }) => !isPart),

  apply(draft, stage, { task }) {
    const { name, spatial } = stage;
    const loops = spatial.map((axis) => loopName(name, axis.name));
    const vectors = [...loops.slice(0, -1), `${loops.at(-1)}.0`];
    const all = fusedLoop(vectors);
    const [lanes, unroll, threads] = [mapLanesOf, mapUnrollOf, mapThreadsOf].map((of) => named(of(stage)));
    return [
      instruct(
        estimate(
          limited(decide(draft, `${name} in vectors of threads`), stage, task.target),
          mapEstimate(stage, task.target),
        ),
        { kind: "split", loop: loops.at(-1)!, factors: [0, lanes!], tail: "perfect" },
        ...fuseLoops(vectors),
        { kind: "split", loop: all, factors: [0, unroll!, threads!], tail: "guard" },
        { kind: "bind", loop: `${all}.0`, axis: "blockIdx.x" },
        { kind: "bind", loop: `${all}.2`, axis: "threadIdx.x" },
        { kind: "unroll", loop: `${all}.1` },
        { kind: "vectorize", loop: `${loops.at(-1)}.1` },
      ),
    ];
  },
};

/** Adds the decisions; a launch has only so many groups. */
function limited(draft: Draft, stage: SchedulableStage, { limits }: AcceleratorTarget): Draft {
  const elements = stage.spatial.reduce((count, { extent }) => count * extent, 1);
  const { mapThreads, mapUnrolls, mostGroups } = threadSizes;
  const most = limits.threadsPerGroup ?? 1;
  const sized = [
    [mapThreadsOf(stage), mapThreads.filter((count) => count <= most)] as const,
    [mapUnrollOf(stage), mapUnrolls.filter((count) => count === 1 || count * mapThreads[0] <= elements)] as const,
    [mapLanesOf(stage), lanesOf(stage)] as const,
  ].reduce((result, [name, values]) => tunable(result, name, values), draft);
  const tile = `${stage.name}.map-tile`;
  const parts = [mapThreadsOf(stage), mapUnrollOf(stage), mapLanesOf(stage)];
  const tiled = product(sized, tile, parts, `elements of ${stage.name} in a group of threads`);
  const counted = tilesOf(tiled, mapGroupsOf(stage), elements, tile, `groups of threads for ${stage.name}`);
  return atMost(counted, mapGroupsOf(stage), mostGroups, `a launch has at most ${mostGroups} groups`);
}

function lanesOf({ spatial, reads }: SchedulableStage): readonly number[] {
  const { name, extent } = spatial.at(-1)!;
  const isVector = reads.every((read) => isVectorizable(read, name));
  return isVector ? threadSizes.lanes.filter((lanes) => extent % lanes === 0) : [1];
}

const mapEstimate =
  (stage: SchedulableStage, target: AcceleratorTarget): Estimate =>
  (assignment) => {
    const value = valueIn(assignment);
    const [groups, threads, unroll, lanes] = [mapGroupsOf, mapThreadsOf, mapUnrollOf, mapLanesOf].map((of) =>
      value(of(stage)),
    ) as [number, number, number, number];
    const surplus = (groups * threads * unroll * lanes) / elementsOf(stage);
    const bytes = bytesReadBy(stage) + bytesOf(stage);
    // A vector takes as many loads as a number does.
    const loads = bytes * (1 + 1 / lanes);
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups,
          threads,
          registers: threadSizes.registersBeside + unroll * lanes,
          groupBytes: 0,
          written: unroll * lanes * Math.max(1, stage.operations),
          atOnce: unroll * lanes,
          waits: 1,
          barriers: 0,
          surplus,
        },
        target,
      ),
      flops: operationsIn(stage),
      bytesFromL2: 0,
      bytesFromL3: loads,
      bytesFromMemory: bytes,
    };
  };
