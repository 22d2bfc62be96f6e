// What an element-wise stage does to the machine: it streams its operands in and its result out. An operand that another
// stage wrote comes from the cache that it fits.

import { byteSize } from "../../compiler/index.ts";
import type { RankingFacts } from "../cost-model/ranker.ts";
import type { TuningTask } from "../task.ts";
import type { Estimate } from "./draft.ts";
import { dependsOn, type SchedulableStage } from "./schedulable-stage.ts";

/** `lanes`: elements that it handles at a time. */
export function mapEstimate(stage: SchedulableStage, { op, target }: TuningTask, lanes: number): Estimate {
  const elements = stage.spatial.reduce((product, { extent }) => product * extent, 1);
  const inner = new Set(op.stages.map(({ name }) => name));
  const streams = [
    ...stage.reads.map((read) => ({
      bytes: stage.spatial
        .filter((axis) => dependsOn(read, axis.name))
        .reduce((product, { extent }) => product * extent, byteSize[read.dtype]),
      isCached: inner.has(read.buffer),
    })),
    { bytes: elements * byteSize[stage.dtype], isCached: !stage.isOutput },
  ];
  const bytesOf = (farther: (stream: (typeof streams)[number]) => boolean): number =>
    streams.filter(farther).reduce((sum, { bytes }) => sum + bytes, 0);
  const facts: RankingFacts = {
    flops: elements * Math.max(1, stage.operations),
    waste: 1,
    lanes,
    multiplyAddShare: 0,
    accumulators: 0,
    liveRegisters: 0,
    loadsPerOperation: stage.reads.length / Math.max(1, stage.operations),
    bytesFromL2: bytesOf(({ bytes }) => bytes > target.l1Bytes),
    bytesFromL3: bytesOf(({ bytes }) => bytes > target.l2Bytes),
    bytesFromMemory: bytesOf(({ bytes, isCached }) => !isCached || bytes > target.l3Bytes),
    packedBytes: 0,
    loopIterations: elements / lanes,
    parallelTasks: 1,
    bodyInstructions: 0,
  };
  return () => facts;
}
