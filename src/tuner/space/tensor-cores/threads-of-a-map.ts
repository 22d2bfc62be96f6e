// Rule `threads-of-a-map`: a thread for each element of a result. Sums are added up by their thread alone, one after the other.
//
//   for y.i+y.j.0: blockIdx.x
//     for y.i+y.j.1: threadIdx.x      128 or 256 elements; the last group has some too many, which do nothing

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { byteSize } from "../../../compiler/index.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import { gpuRates } from "../../prior/tensor-core-sizes.ts";
import { type Draft, type Estimate, estimate, instruct, tunable } from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import { loopOf, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";

/** Threads of a group. */
const threads = [64, 128, 256] as const;

const threadsOf = ({ name }: SchedulableStage): string => `${name}.threads`;

export const threadsOfMap: SpaceRule<AcceleratorTarget> = {
  name: "threads-of-a-map",

  applies: ({ spatial }) => spatial.length > 0 && spatial.every(({ isPart }) => !isPart),

  apply(draft, stage) {
    const loops = stage.spatial.map((axis) => loopOf(stage, axis));
    const all = fusedLoop(loops);
    const [group, lane] = [`${all}.0`, `${all}.1`];
    const sized = tunable(draft, threadsOf(stage), threads);
    const bound = instruct(
      sized,
      ...fuseLoops(loops),
      { kind: "split", loop: all, factors: [0, { tunable: threadsOf(stage) }], tail: "guard" },
      { kind: "bind", loop: group, axis: "blockIdx.x" },
      { kind: "bind", loop: lane, axis: "threadIdx.x" },
    );
    return [estimate(inRegister(bound, stage, lane), estimateOf(stage))];
  },
};

/** A sum is kept in a register of its thread, where it has the type that it is computed in. */
function inRegister(draft: Draft, { name, block, reduce }: SchedulableStage, loop: string): Draft {
  const { value } = block;
  const isPlain = reduce.length > 0 && block.init !== null && value.kind === "binary" && value.left.kind === "load";
  return isPlain ? instruct(draft, { kind: "cache-write", block: name, loop, scope: "register" }) : draft;
}

function estimateOf(stage: SchedulableStage): Estimate {
  const { spatial, reduce, reads, dtype, operations } = stage;
  const elements = spatial.reduce((count, { extent }) => count * extent, 1);
  const steps = reduce.reduce((count, { extent }) => count * extent, 1);
  const extents = new Map([...spatial, ...reduce].map((axis) => [axis.name, axis.extent]));
  const read = reads.map(({ axes, dtype }) => {
    const walked = new Set(axes.flatMap((names) => [...names]));
    return [...walked].reduce((count, axis) => count * (extents.get(axis) ?? 1), byteSize[dtype]);
  });
  const bytes = read.reduce((sum, it) => sum + it, elements * byteSize[dtype]);
  return (assignment): RankingFacts => {
    const groups = Math.ceil(elements / (assignment[threadsOf(stage)] ?? 1));
    return {
      ...none,
      flops: operations * elements * steps,
      bytesFromL3: reads.reduce((sum, { dtype }) => sum + byteSize[dtype] * elements * steps, 0),
      bytesFromMemory: bytes,
      loopIterations: groups,
      bodyInstructions: (steps * gpuRates.cyclesPerStep) / gpuRates.groupsOfMaps,
      parallelTasks: groups,
    };
  };
}

const none: RankingFacts = {
  flops: 0,
  waste: 1,
  lanes: 1,
  multiplyAddShare: 0,
  accumulators: 0,
  liveRegisters: 0,
  loadsPerOperation: 0,
  bytesFromL2: 0,
  bytesFromL3: 0,
  bytesFromMemory: 0,
  packedBytes: 0,
  loopIterations: 0,
  parallelTasks: 1,
  bodyInstructions: 0,
};
