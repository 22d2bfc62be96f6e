// Schedule of a sum with few results and a great depth: groups share its depth too. Each adds up a part, in one of the ways of other sums,
// and a second launch adds up what the parts come to.
//
//   for k.0, i.0, j.0 fused: blockIdx.x
//     …: C.rf[k.0, i, j] += A · B over k.1                     tiles of threads
//   for i, j fused: blockIdx.x, threadIdx.x
//     for k.0: C[i, j] += C.rf[k.0, i, j]                      registers; a map on the way to memory
//
// The field calls this schedule split-K. Threads of one group that share the depth (thread-tiles/sliced-sum.ts) need no second launch, but run on
// one processor.

import { type AcceleratorTarget, byteSize, type Instruction, loopName, type Operand } from "../../../compiler/index.ts";
import { gpuMachineOf } from "../../prior/gpu-machines.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { type Draft, type Estimate, tunable } from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import {
  bytesOf,
  depthOf,
  elementsOf,
  loadOfGroups,
  operationsIn,
  otherFacts,
  valueIn,
} from "../estimate/group-load.ts";
import { finishing } from "../fusion/finishing-map.ts";

type Instructions = readonly Instruction<Operand>[];

/** A sum whose depth may be cut. */
export interface DeepSum {
  readonly stage: SchedulableStage;
  readonly depth: Depth;
  /** Reduce axes around the depth. */
  readonly further: readonly Pick<Depth, "loop">[];
}

interface Depth {
  readonly loop: string;
  readonly extent: number;
}

/** Parts that a depth may be cut into. */
export interface Parts {
  /** Loop over the parts. */
  readonly loop: string;
  /** Variable of their number, and the values that it may take, the greatest last. */
  readonly count: string;
  readonly counts: readonly number[];
}

/** Threads of a group that adds up what the parts have. */
const finishersOf = ({ name }: SchedulableStage): string => `${name}.part-threads`;

/**
 * Returns how the depth is cut.
 *
 * @param counts numbers of parts that it may be cut into
 * @param unit elements of the depth that stay together, of which each part has as many; null: the last parts may have less
 * @returns null: it had better be left whole. No part has too little work, and groups for many results are enough for what there is to do
 */
export function partsOf({ stage, depth }: DeepSum, counts: readonly number[], unit: number | null): Parts | null {
  const { leastPart, mostPartBytes, resultsByDepth } = threadSizes;
  if (elementsOf(stage) > resultsByDepth * depthOf(stage)) return null;
  const bytes = elementsOf(stage) * byteSize[stage.dtype];
  const { loop, extent } = depth;
  const fitting = counts
    .filter((count) => extent >= count * leastPart && count * bytes <= mostPartBytes)
    .filter((count) => unit === null || extent % (count * unit) === 0);
  return fitting.length === 0 ? null : { loop: `${loop}.0`, count: `${loop}.parts`, counts: fitting };
}

/** Adds the decisions: parts of the depth, and threads of a group that adds up what they have. */
export function addParts(draft: Draft, stage: SchedulableStage, parts: Parts, { limits }: AcceleratorTarget): Draft {
  const most = limits.threadsPerGroup ?? 1;
  const finishers = threadSizes.mapThreads.filter((count) => count <= most);
  return tunable(tunable(draft, parts.count, parts.counts), finishersOf(stage), finishers);
}

/** Number of the smallest parts that the depth may be cut into. */
export const mostParts = ({ counts }: Parts): number => counts.at(-1)!;

/** The stage of the sums of parts, as it is once the depth is cut. */
export function stageOfParts({ name, block, ...stage }: SchedulableStage): SchedulableStage {
  const ofParts = `${name}.rf`;
  return { ...stage, name: ofParts, block: { ...block, name: ofParts } };
}

/** The depth of a part: what divides the least part divides all of them. */
export const depthOfPart = <Of extends Depth>(depth: Of, parts: Parts): Of => ({
  ...depth,
  extent: depth.extent / mostParts(parts),
  loop: `${depth.loop}.1`,
});

/**
 * Cuts the depth into parts, whose sums are a block of their own from then on.
 *
 * @param steps how a part is walked, where it is cut together with the depth, so that steps need not divide it; default: it is one loop
 */
export function cutParts(
  { stage, depth, further }: DeepSum,
  { loop, count }: Parts,
  steps: readonly Operand[] = [],
): Instructions {
  const inside = stage.spatial.map(({ name }) => loopName(stage.name, name));
  const ofPart = [0, ...steps].map((_, level) => `${depth.loop}.${level + 1}`);
  const tail = steps.length === 0 ? "perfect" : "guard";
  return [
    { kind: "split", loop: depth.loop, factors: [{ tunable: count }, 0, ...steps], tail },
    { kind: "reorder", loops: [loop, ...inside, ...further.map((axis) => axis.loop), ...ofPart] },
    { kind: "rfactor", loop },
  ];
}

/** Adds up the parts, a thread for each result. */
export function addUpParts(stage: SchedulableStage, { loop }: Parts, reader: string | null): Instructions {
  const loops = stage.spatial.map(({ name }) => `${loopName(stage.name, name)}.final`);
  const all = fusedLoop(loops);
  const [group, thread] = [`${all}.0`, `${all}.1`];
  return [
    { kind: "reorder", loops: [...loops, `${loop}.final`] },
    ...fuseLoops(loops),
    { kind: "split", loop: all, factors: [0, { tunable: finishersOf(stage) }], tail: "guard" },
    { kind: "bind", loop: group, axis: "blockIdx.x" },
    { kind: "bind", loop: thread, axis: "threadIdx.x" },
    { kind: "cache-write", block: stage.name, loop: thread, scope: "register" },
    ...finishing(reader),
  ];
}

/**
 * Load of the second launch.
 *
 * @param reader the map that finishes the sums
 */
export const partsEstimate =
  (stage: SchedulableStage, { count }: Parts, reader: SchedulableStage | null, target: AcceleratorTarget): Estimate =>
  (assignment) => {
    const value = valueIn(assignment);
    const [parts, threads] = [value(count), value(finishersOf(stage))];
    const results = elementsOf(stage);
    const groups = Math.ceil(results / threads);
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups,
          threads,
          registers: threadSizes.registersBeside,
          groupBytes: 0,
          written: 1,
          atOnce: 1,
          waits: Math.ceil(parts / gpuMachineOf(target).mostLoads),
          barriers: 0,
          surplus: (groups * threads) / results,
        },
        target,
      ),
      flops: parts * results + (reader ? operationsIn(reader) : 0),
      bytesFromL2: 0,
      bytesFromL3: parts * bytesOf(stage),
      bytesFromMemory: bytesOf(reader ?? stage),
    };
  };
