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
  /** Number of rows that one iteration works on, by axis of the result; of others it has one. */
  readonly rows: ReadonlyMap<string, number>;
  /** Whether another stage has brought the rows that this one reads into L1. */
  readonly isWarm: boolean;
  /** Loads and shuffles of each operand's vectors; null: one load brings a vector. */
  readonly picks: ReadonlyMap<string, number> | null;
}

const product = (factors: Iterable<number>): number => [...factors].reduce((result, factor) => result * factor, 1);

const extentOf = (axes: SchedulableStage["spatial"]): number => axes.reduce((total, { extent }) => total * extent, 1);

export function streamFacts({ stage, target, lanes, vectors, sums, rows, isWarm, picks }: Stream): RankingFacts {
  const isReduction = stage.reduce.length > 0;
  const inner = (isReduction ? stage.reduce : stage.spatial).at(-1)!;
  const results = extentOf(stage.spatial);
  const elements = results * extentOf(stage.reduce);
  const operations = Math.max(1, stage.operations) + (stage.callsFunctions ? coreOf(target).operationsOfFunction : 0);
  const multiplyAddShare = isReduction && stage.operations === 2 ? 1 : 0;
  const steps = operations * (1 - multiplyAddShare / 2);
  const loads = loadsOf(stage, inner.name, rows, picks);
  const rowsInAll = product(rows.values());
  const walks = elements / inner.extent;
  // The vectors of a sum are added up, then the halves of one, and their halves: each step is a shuffle and an operation.
  const addingUp = isReduction && lanes > 1 ? vectors + 2 * Math.log2(lanes) + 1 : 0;
  const begun = walksBegun(stage, walks, rows);
  const bytes = stage.reads.reduce((total, read) => total + bytesOf(read, stage), 0);
  const again = readAgain(stage, rows, target);
  return {
    flops: elements * operations,
    waste: (walks * Math.ceil(inner.extent / lanes) + (results * addingUp) / operations) / (elements / lanes),
    lanes,
    multiplyAddShare,
    // A sum takes one of the steps that an element takes.
    accumulators: isReduction ? sums * rowsInAll * steps : 0,
    liveRegisters: (isReduction ? sums * rowsInAll : vectors) + registersBeside(stage, target),
    loadsPerOperation: loads / steps,
    bytesFromL2: again.l2,
    bytesFromL3: again.l3,
    bytesFromMemory: again.memory + (isWarm ? 0 : bytes) + (isReduction ? 0 : results * byteSize[stage.dtype]),
    packedBytes: 0,
    loopIterations: begun * Math.ceil(inner.extent / (lanes * vectors)),
    parallelTasks: 1,
    bodyInstructions: vectors * rowsInAll * (steps + loads),
    walksBegun: begun,
  };
}

/** Counts walks of a group of rows. The last group of an axis may have fewer. */
const walksBegun = ({ spatial }: SchedulableStage, walks: number, rows: Stream["rows"]): number =>
  spatial.reduce((total, { name, extent }) => (total / extent) * Math.ceil(extent / (rows.get(name) ?? 1)), walks);

/** Counts vectors that one step reads, those that rows share only once. */
const loadsOf = (stage: SchedulableStage, inner: string, rows: Stream["rows"], picks: Stream["picks"]): number =>
  stage.reads
    .filter((read) => dependsOn(read, inner))
    .reduce((total, read) => {
      const sharing = [...rows].flatMap(([name, count]) => (dependsOn(read, name) ? [] : [count]));
      return total + (read.count * (picks?.get(read.buffer) ?? 1)) / product(sharing);
    }, 0);

const levels = ["l2", "l3", "memory"] as const;
/** Memories that bytes come from which L1 does not have. */
type Level = (typeof levels)[number];

/** Counts bytes that come from a cache or from memory again, since L1 has not kept them from one block of rows to another. */
function readAgain(stage: SchedulableStage, rows: Stream["rows"], target: CpuTarget): Readonly<Record<Level, number>> {
  const total = { l2: 0, l3: 0, memory: 0 };
  for (const read of stage.reads) {
    const inside = [...stage.reduce, ...[...rows].map(([name, extent]) => ({ name, extent }))];
    let footprint = extentOf(inside.filter(({ name }) => dependsOn(read, name))) * byteSize[read.dtype];
    const again = { l2: 0, l3: 0, memory: 0 };
    for (const { name, blocks } of blocksOutwards(stage, rows)) {
      for (const each of levels) again[each] *= blocks;
      const level = levelOf(footprint, target);
      if (dependsOn(read, name)) footprint *= blocks;
      else if (level) again[level] += (blocks - 1) * footprint;
    }
    for (const each of levels) total[each] += again[each];
  }
  return total;
}

/** The loops over blocks of rows, the innermost first: those of rows together, the shorter axis inside, then those of single rows. */
function blocksOutwards({ spatial }: SchedulableStage, rows: Stream["rows"]) {
  const [blocked, single] = [
    spatial.filter(({ name }) => rows.has(name)),
    spatial.filter(({ name }) => !rows.has(name)),
  ];
  const inwards = [...single, ...blocked.toSorted((a, b) => b.extent - a.extent)];
  return inwards.reverse().map(({ name, extent }) => ({ name, blocks: Math.ceil(extent / (rows.get(name) ?? 1)) }));
}

/** The nearest memory that holds so many bytes, L1 aside. Null: L1 does. */
function levelOf(bytes: number, { l1Bytes, l2Bytes, l3Bytes }: CpuTarget): Level | null {
  if (bytes <= l1Bytes) return null;
  return bytes <= l2Bytes ? "l2" : bytes <= l3Bytes ? "l3" : "memory";
}

/** Registers beside the sums: a vector of each operand, and what a function's polynomial needs. */
export function registersBeside({ callsFunctions }: SchedulableStage, target: CpuTarget): number {
  const { walkRegisters, functionRegisters } = coreOf(target);
  return callsFunctions ? functionRegisters : walkRegisters;
}

const bytesOf = (read: Access, stage: SchedulableStage): number =>
  extentOf([...stage.spatial, ...stage.reduce].filter(({ name }) => dependsOn(read, name))) * byteSize[read.dtype];
