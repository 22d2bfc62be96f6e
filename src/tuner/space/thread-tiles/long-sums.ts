// Rule `long-sums`: a reduction to a single number, or to few, of long rows. Threads of many groups reduce parts of it, those of one group what
// these have, and one thread the rest: three launches.
//
//   for i, k.1.0 fused: blockIdx.x, k.1.1: threadIdx.x
//     for k.0: S.rf[k.1, i] += …
//   for i: blockIdx.x, k.1.final.1: threadIdx.x
//     for k.1.final.0: S.rf2[k.1.final.1, i] += S.rf[…]
//   for i: blockIdx.x
//     for k.1.final.1.final: S[i] += S.rf2[…]

import { type AcceleratorTarget, byteSize, loopName } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { atMost, type Draft, decide, type Estimate, estimate, instruct, tunable } from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import {
  bytesReadBy,
  depthOf,
  elementsOf,
  loadOfGroups,
  operationsIn,
  otherFacts,
  valueIn,
} from "../estimate/group-load.ts";
import { isRowReduction } from "./row-group.ts";
import { isInAnyOrder } from "./sum-axes.ts";
import { named, powerFrom } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

const partsOf = ({ name }: SchedulableStage): string => `${name}.parts`;
const threadsOf = ({ name }: SchedulableStage): string => `${name}.part-threads`;
const combinersOf = ({ name }: SchedulableStage): string => `${name}.part-combiners`;

export const longSums: SpaceRule<AcceleratorTarget> = {
  name: "long-sums",

  applies: (stage, { task }) =>
    isFewLongRows(stage, task) ||
    (stage.spatial.length === 0 && isInAnyOrder(stage, task) && depthOf(stage) >= threadSizes.sumThreads[0]),

  apply: (draft, stage, { task }) => [
    instruct(
      estimate(limited(decide(draft, `${stage.name} in parts`), stage, task.target), sumEstimate(stage, task.target)),
      ...loops(stage),
    ),
  ],
};

/** Says whether rows are so few, and so long, that a group for each would leave a machine idle. */
export const isFewLongRows = (stage: SchedulableStage, task: Parameters<typeof isRowReduction>[1]): boolean =>
  stage.reduce.length > 0 &&
  stage.spatial.length > 0 &&
  stage.spatial.every(({ isPart }) => !isPart) &&
  elementsOf(stage) <= threadSizes.fewRows &&
  depthOf(stage) >= threadSizes.longRow &&
  isRowReduction(stage, task);

function limited(draft: Draft, stage: SchedulableStage, { limits }: AcceleratorTarget): Draft {
  const { sumThreads, mapThreads, sumCombiners } = threadSizes;
  const most = limits.threadsPerGroup ?? 1;
  const sized = [
    [partsOf(stage), sumThreads.filter((count) => count <= powerFrom(depthOf(stage)))] as const,
    [threadsOf(stage), mapThreads.filter((count) => count <= most)] as const,
    [combinersOf(stage), sumCombiners.filter((count) => count <= most)] as const,
  ].reduce((result, [name, values]) => tunable(result, name, values), draft);
  return atMost(sized, threadsOf(stage), partsOf(stage), "a group has no more threads than there are parts");
}

function loops(stage: SchedulableStage): Instructions {
  const { name, reduce, spatial } = stage;
  const namesOf = (axes: readonly { readonly name: string }[]): readonly string[] =>
    axes.map((axis) => loopName(name, axis.name));
  const [parts, rows] = [namesOf(reduce), namesOf(spatial)];
  const all = fusedLoop(parts);
  const [steps, part] = [`${all}.0`, `${all}.1`];
  const [group, thread] = [`${part}.0`, `${part}.1`];
  const final = `${part}.final`;
  const [once, combiner] = [`${final}.0`, `${final}.1`];
  // The loops over rows: of the first launch, the second and the third.
  const rowsOf = (suffix: string): readonly string[] => (rows.length === 0 ? [] : [`${fusedLoop(rows)}${suffix}`]);
  const [row, ofParts, last] = [rowsOf(""), rowsOf(".final"), rowsOf(".final.final")];
  const groups = [...row, group];
  return [
    ...fuseLoops(parts),
    ...fuseLoops(rows),
    { kind: "split", loop: all, factors: [0, named(partsOf(stage))], tail: "guard" },
    { kind: "reorder", loops: [part, ...row, steps] },
    { kind: "rfactor", loop: part },
    { kind: "split", loop: part, factors: [0, named(threadsOf(stage))], tail: "perfect" },
    ...(rows.length === 0 ? [] : [{ kind: "reorder", loops: [...groups, thread, steps] } as const]),
    ...fuseLoops(groups),
    { kind: "bind", loop: fusedLoop(groups), axis: "blockIdx.x" },
    { kind: "bind", loop: thread, axis: "threadIdx.x" },
    { kind: "cache-write", block: `${name}.rf`, loop: thread, scope: "register" },
    { kind: "split", loop: final, factors: [0, named(combinersOf(stage))], tail: "perfect" },
    { kind: "reorder", loops: [combiner, ...ofParts, once] },
    { kind: "rfactor", loop: combiner },
    ...(rows.length === 0 ? [] : [{ kind: "reorder", loops: [...ofParts, combiner, once] } as const]),
    ...ofParts.map((loop) => ({ kind: "bind", loop, axis: "blockIdx.x" }) as const),
    { kind: "bind", loop: combiner, axis: "threadIdx.x" },
    { kind: "cache-write", block: `${name}.rf2`, loop: combiner, scope: "register" },
    ...last.flatMap((loop) => [
      { kind: "bind", loop, axis: "blockIdx.x" } as const,
      { kind: "cache-write", block: name, loop, scope: "register" } as const,
    ]),
  ];
}

const sumEstimate =
  (stage: SchedulableStage, target: AcceleratorTarget): Estimate =>
  (assignment) => {
    const value = valueIn(assignment);
    const [parts, threads, combiners] = [partsOf, threadsOf, combinersOf].map((of) => value(of(stage))) as [
      number,
      number,
      number,
    ];
    const rows = elementsOf(stage);
    const steps = Math.ceil(depthOf(stage) / parts);
    const later = parts / combiners + combiners;
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups: (rows * parts) / threads,
          threads,
          registers: threadSizes.registersBeside,
          groupBytes: 0,
          written: 1,
          atOnce: 1,
          waits: steps + later,
          barriers: 0,
          surplus: 1,
        },
        target,
      ),
      flops: operationsIn(stage),
      bytesFromL2: 0,
      bytesFromL3: bytesReadBy(stage),
      bytesFromMemory: bytesReadBy(stage) + 2 * rows * parts * byteSize[stage.dtype],
    };
  };
