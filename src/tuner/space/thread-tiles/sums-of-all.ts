// Rule `sums-of-all`: a reduction to a single number. Threads of many groups reduce parts of it, those of one group what these have, and
// one thread the rest: three launches.
//
//   for k.1.0: blockIdx.x, k.1.1: threadIdx.x
//     for k.0: S.rf[k.1] += …
//   for k.1.final.1: threadIdx.x
//     for k.1.final.0: S.rf2[k.1.final.1] += S.rf[…]
//   for k.1.final.1.final: S += S.rf2[…]

import { type AcceleratorTarget, byteSize, loopName } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { atMost, type Draft, decide, type Estimate, estimate, instruct, tunable } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { bytesReadBy, depthOf, loadOfGroups, operationsIn, otherFacts, valueIn } from "../estimate/group-load.ts";
import { isInAnyOrder } from "./sum-axes.ts";
import { named, powerFrom } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

const partsOf = ({ name }: SchedulableStage): string => `${name}.parts`;
const threadsOf = ({ name }: SchedulableStage): string => `${name}.part-threads`;
const combinersOf = ({ name }: SchedulableStage): string => `${name}.part-combiners`;

export const sumsOfAll: SpaceRule<AcceleratorTarget> = {
  name: "sums-of-all",

  applies: (stage, { task }) =>
    stage.spatial.length === 0 && isInAnyOrder(stage, task) && depthOf(stage) >= threadSizes.sumThreads[0],

  apply: (draft, stage, { task }) => [
    instruct(
      estimate(limited(decide(draft, `${stage.name} in parts`), stage, task.target), sumEstimate(stage, task.target)),
      ...loops(stage),
    ),
  ],
};

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
  const { name, reduce } = stage;
  const parts = reduce.map((axis) => loopName(name, axis.name));
  const all = parts.join("+");
  const [steps, part] = [`${all}.0`, `${all}.1`];
  const [group, thread] = [`${part}.0`, `${part}.1`];
  const final = `${part}.final`;
  const [once, combiner] = [`${final}.0`, `${final}.1`];
  return [
    ...parts.slice(1).map((inner, at) => ({ kind: "fuse", outer: parts.slice(0, at + 1).join("+"), inner }) as const),
    { kind: "split", loop: all, factors: [0, named(partsOf(stage))], tail: "guard" },
    { kind: "reorder", loops: [part, steps] },
    { kind: "rfactor", loop: part },
    { kind: "split", loop: part, factors: [0, named(threadsOf(stage))], tail: "perfect" },
    { kind: "bind", loop: group, axis: "blockIdx.x" },
    { kind: "bind", loop: thread, axis: "threadIdx.x" },
    { kind: "cache-write", block: `${name}.rf`, loop: thread, scope: "register" },
    { kind: "split", loop: final, factors: [0, named(combinersOf(stage))], tail: "perfect" },
    { kind: "reorder", loops: [combiner, once] },
    { kind: "rfactor", loop: combiner },
    { kind: "bind", loop: combiner, axis: "threadIdx.x" },
    { kind: "cache-write", block: `${name}.rf2`, loop: combiner, scope: "register" },
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
    const steps = Math.ceil(depthOf(stage) / parts);
    const later = parts / combiners + combiners;
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups: parts / threads,
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
      bytesFromMemory: bytesReadBy(stage) + 2 * parts * byteSize[stage.dtype],
    };
  };
