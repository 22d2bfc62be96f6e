// What an element-wise stage does to the machine: it streams its operands in and its result out. An operand that another
// stage wrote comes from the cache that it fits.

import { byteSize, type ComputeDef } from "../../compiler/index.ts";
import type { RankingFacts } from "../cost-model/ranker.ts";
import type { TuningTask } from "../task.ts";
import type { Estimate } from "./draft.ts";
import { dependsOn, type SchedulableStage, sizedBy } from "./schedulable-stage.ts";

/** `lanes`: elements that it handles at a time. */
export const mapEstimate =
  (stage: SchedulableStage, task: TuningTask, lanes: number): Estimate =>
  (assignment) =>
    factsOf(sizedBy(stage, assignment), task, lanes);

function factsOf(stage: SchedulableStage, { op, target }: TuningTask, lanes: number): RankingFacts {
  const elements = elementsOf(stage.spatial);
  const inner = new Set(op.stages.map(({ name }) => name));
  const operands = [...new Set(stage.reads.map(({ buffer }) => buffer))];
  const streams = [
    ...operands.map((buffer) => ({ bytes: bytesRead(stage, op, buffer), isCached: inner.has(buffer) })),
    { bytes: elements * byteSize[stage.dtype], isCached: !stage.isOutput },
  ];
  const bytesOf = (farther: (stream: (typeof streams)[number]) => boolean): number =>
    streams.filter(farther).reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    flops: elements * Math.max(1, stage.operations),
    waste: 1,
    lanes,
    multiplyAddShare: 0,
    accumulators: 0,
    liveRegisters: 0,
    loadsPerOperation: operands.length / Math.max(1, stage.operations),
    bytesFromL2: bytesOf(({ bytes }) => bytes > target.l1Bytes),
    bytesFromL3: bytesOf(({ bytes }) => bytes > target.l2Bytes),
    bytesFromMemory: bytesOf(({ bytes, isCached }) => !isCached || bytes > target.l3Bytes),
    packedBytes: 0,
    loopIterations: elements / lanes,
    parallelTasks: 1,
    bodyInstructions: 0,
  };
}

/** Bytes of an operand that the stage reads: what all reads touch, at most the whole. */
function bytesRead(stage: SchedulableStage, { inputs, stages }: ComputeDef, buffer: string): number {
  const reads = stage.reads.filter((read) => read.buffer === buffer);
  const touched = reads.map((read) => elementsOf(stage.spatial.filter((axis) => dependsOn(read, axis.name))));
  const shape = inputs.find(({ name }) => name === buffer)?.shape;
  const whole = shape?.reduce((product, extent) => product * extent, 1);
  const all = whole ?? elementsOf(stages.find(({ name }) => name === buffer)!.axes);
  return (
    byteSize[reads[0]!.dtype] *
    Math.min(
      all,
      touched.reduce((sum, elements) => sum + elements, 0),
    )
  );
}

const elementsOf = (axes: readonly { readonly extent: number }[]): number =>
  axes.reduce((product, { extent }) => product * extent, 1);
