// Estimates what a stage that walks its operands once does to the machine: an element-wise stage, or a reduction into a few vectors.

import { byteSize, type CpuTarget } from "../../../compiler/index.ts";
import { coreOf } from "../../prior/machine-model.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import { type Access, dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";

export interface Stream {
  readonly stage: SchedulableStage;
  readonly target: CpuTarget;
  /** Number of elements in a vector; 1: scalar code. */
  readonly lanes: number;
  /** Number of vectors along the innermost axis in one iteration. */
  readonly vectors: number;
  /** Number of these vectors that have a sum of their own. One: all of them are added to the same sum, one after the other. */
  readonly sums: number;
  /** Number of the result's elements that one iteration works on. */
  readonly rows: number;
  /** Whether another stage has brought the rows that this one reads into L1. */
  readonly isWarm: boolean;
}

const extentOf = (axes: SchedulableStage["spatial"]): number => axes.reduce((total, { extent }) => total * extent, 1);

export function streamFacts({ stage, target, lanes, vectors, sums, rows, isWarm }: Stream): RankingFacts {
  const isReduction = stage.reduce.length > 0;
  const inner = (isReduction ? stage.reduce : stage.spatial).at(-1)!;
  const results = extentOf(stage.spatial);
  const elements = results * extentOf(stage.reduce);
  const operations = Math.max(1, stage.operations) + (stage.callsFunctions ? coreOf(target).operationsOfFunction : 0);
  const multiplyAddShare = isReduction && stage.operations === 2 ? 1 : 0;
  const steps = operations * (1 - multiplyAddShare / 2);
  const loads = loadsOf(stage, inner.name, rows);
  const walks = elements / inner.extent;
  // The vectors of a sum are added up, then its lanes one by one: each is taken out of its vector, and added.
  const addingUp = isReduction && lanes > 1 ? vectors + 2 * lanes : 0;
  const begun = walksBegun(stage, walks, rows);
  const bytes = stage.reads.reduce((total, read) => total + bytesOf(read, stage), 0);
  return {
    flops: elements * operations,
    waste: (walks * Math.ceil(inner.extent / lanes) + (results * addingUp) / operations) / (elements / lanes),
    lanes,
    multiplyAddShare,
    // A sum takes one of the steps that an element takes.
    accumulators: isReduction ? sums * rows * steps : 0,
    liveRegisters: (isReduction ? sums * rows : vectors) + registersBeside(stage, target),
    loadsPerOperation: loads / steps,
    bytesFromL2: 0,
    bytesFromL3: 0,
    bytesFromMemory: (isWarm ? 0 : bytes) + (isReduction ? 0 : results * byteSize[stage.dtype]),
    packedBytes: 0,
    loopIterations: begun * Math.ceil(inner.extent / (lanes * vectors)),
    parallelTasks: 1,
    bodyInstructions: vectors * rows * (steps + loads),
    walksBegun: begun,
  };
}

/** Counts walks of a group of rows, which are rows of the last axis of the result. The last group may have fewer. */
function walksBegun({ spatial }: SchedulableStage, walks: number, rows: number): number {
  const extent = spatial.at(-1)?.extent ?? 1;
  return (walks / extent) * Math.ceil(extent / rows);
}

/** Counts vectors that one step reads, those that rows share only once. */
const loadsOf = (stage: SchedulableStage, inner: string, rows: number): number =>
  stage.reads
    .filter((read) => dependsOn(read, inner))
    .reduce((total, read) => {
      const isOfRow = stage.spatial.some(({ name }) => dependsOn(read, name));
      return total + read.count / (isOfRow ? 1 : rows);
    }, 0);

/** Registers beside the sums: a vector of each operand, and what a function's polynomial needs. */
export function registersBeside({ callsFunctions }: SchedulableStage, target: CpuTarget): number {
  const { walkRegisters, functionRegisters } = coreOf(target);
  return callsFunctions ? functionRegisters : walkRegisters;
}

const bytesOf = (read: Access, stage: SchedulableStage): number =>
  extentOf([...stage.spatial, ...stage.reduce].filter(({ name }) => dependsOn(read, name))) * byteSize[read.dtype];
