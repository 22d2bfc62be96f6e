// Load of rows that groups of threads reduce on the machine: the facts that their time is predicted from.

import { type AcceleratorTarget, byteSize } from "../../../compiler/index.ts";
import { gpuMachineOf } from "../../prior/gpu-machines.ts";
import { functionOperations, threadSizes } from "../../prior/thread-sizes.ts";
import type { Estimate } from "../draft/draft.ts";
import { dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import {
  bytesOf,
  bytesReadBy,
  depthOf,
  elementsOf,
  loadOfGroups,
  otherFacts,
  valueIn,
} from "../estimate/group-load.ts";
import { operationsBy } from "./byte-dots.ts";
import { atOnceIn } from "./byte-words.ts";
import {
  combinersOf,
  type RowForm,
  rowLanesOf,
  rowsOfGroup,
  rowsOfThread,
  rowUnrollOf,
  threadsOfRow,
} from "./row-form.ts";
import { hasSharedElements, type RowGroup } from "./row-group.ts";

/**
 * @param kept buffers whose rows stay in registers from their first reader on
 */
export const rowEstimate =
  (rows: RowGroup, kept: readonly string[], { dot, shuffleLanes }: RowForm, target: AcceleratorTarget): Estimate =>
  (assignment) => {
    const { root, reductions, leading } = rows;
    const value = valueIn(assignment);
    const [inRow, combiners, together, several, once, vector] = [
      threadsOfRow,
      combinersOf,
      rowsOfGroup,
      rowsOfThread,
      rowUnrollOf,
      rowLanesOf,
    ].map((of) => value(of(rows))) as [number, number, number, number, number, number];
    const isKept = kept.length > 0;
    // A word is loaded as a vector is, and taken at once.
    const lanes = vector * atOnceIn(dot);
    const unroll = once * lanes * several;
    const written = unroll / atOnceIn(dot);
    const stages = root.reduce.length > 0 ? reductions : [...reductions, root];
    const count = leading.reduce((all, { extent }) => all * extent, 1);
    const [groups, threads] = [count / (together * several), inRow * together];
    const lengths = stages.map((stage) => (depthOf(stage) * elementsOf(stage)) / count);
    const parts = lengths.map((length) => Math.ceil(length / (inRow * lanes)) * lanes);
    const asked = lengths.reduce((all, length) => all + length, 0);
    const done = parts.reduce((all, part) => all + part * inRow, 0);
    const { combining, barriers, held } = combiningOf(inRow, combiners, shuffleLanes);
    const walks = isKept ? 1 : stages.length;
    const first = firstReads(rows, kept);
    const read = isKept ? first : stages.reduce((all, stage) => all + bytesReadBy(stage), 0);
    // Operands that rows share, such as a vector, come from near, but are loaded for each row, or for the rows of a thread at once.
    const near = reductions.reduce((all, stage) => all + loadedBytes(stage, rows, several), 0);
    // A vector is one load, as a number is.
    const share = (1 + 1 / lanes) / 2;
    const { mostLoads, sectorBytes } = gpuMachineOf(target);
    // Of each part of a row that comes, the threads of the row use what they read beside each other.
    const used = Math.min(sectorBytes, inRow * vector * byteSize[root.dtype]);
    const sums = several * reductions.length;
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups,
          threads,
          registers: threadSizes.registersBeside + (isKept ? keptRegisters(rows, parts[0]!) : written) + sums,
          groupBytes: sums * together * held * threadSizes.groupWord,
          written: isKept ? parts.reduce((all, part) => all + part, 0) : written * stages.length,
          atOnce: isKept ? parts[0]! : written,
          waits:
            (walks * Math.max(...parts) * several) / Math.min(isKept ? Math.max(...parts) : unroll, mostLoads * lanes),
          barriers: barriers * reductions.length,
          surplus: done / asked,
        },
        target,
      ),
      flops:
        stages.reduce((all, stage) => all + operationsBy(dot, stage), 0) -
        (isKept ? sharedOperations(rows) : 0) +
        groups * threads * combining * reductions.length,
      bytesFromL2:
        groups * threads * combining * reductions.length * byteSize[root.dtype] + (isKept ? 0 : near * share),
      bytesFromL3: read * share * (sectorBytes / used),
      bytesFromMemory: first + bytesOf(root),
    };
  };

interface Combining {
  /** Additions of a thread, or of those that others wait for. */
  readonly combining: number;
  readonly barriers: number;
  /** Parts of a row in the memory of the group. */
  readonly held: number;
}

/** Parts of a row are combined by shuffles of neighbours and what is left by all, or by a few threads while the others wait, or by all. */
function combiningOf(inRow: number, combiners: number, shuffleLanes: number): Combining {
  if (shuffleLanes > 0) {
    const steps = Math.log2(Math.min(inRow, shuffleLanes));
    const rest = inRow > shuffleLanes ? inRow / shuffleLanes : 0;
    return { combining: steps + rest, barriers: rest > 0 ? 1 : 0, held: rest };
  }
  const combining = combiners > 1 ? inRow / combiners + combiners : inRow;
  return { combining, barriers: combiners > 1 ? 2 : 1, held: inRow + combiners };
}

/** Registers of elements of a row, and of functions of them that are read twice. */
const keptRegisters = (rows: RowGroup, part: number): number =>
  part * (rows.reductions.some((stage) => hasSharedElements(stage, rows)) ? 2 : 1);

/** Operations that the root need not repeat. */
const sharedOperations = (rows: RowGroup): number =>
  rows.reductions
    .filter((stage) => hasSharedElements(stage, rows))
    .reduce((all, stage) => all + functionOperations * elementsOf(stage) * depthOf(stage), 0);

/** Bytes of all loads of a reduction. What does not depend on the row is loaded once for all rows of a thread. */
const loadedBytes = (stage: SchedulableStage, { leading }: RowGroup, several: number): number =>
  stage.reads.reduce((all, access) => {
    const times = dependsOn(access, stage.spatial[leading.length - 1]!.name) ? 1 : several;
    return all + (byteSize[access.dtype] * elementsOf(stage) * depthOf(stage)) / times;
  }, 0);

/** Bytes of what the rows are made from, each read once. */
function firstReads({ root, reductions }: RowGroup, kept: readonly string[]): number {
  const stages = [...new Set([...reductions, root])];
  const sizes = new Map<string, number>();
  for (const stage of stages) {
    for (const access of stage.reads) {
      const bytes = bytesReadBy({ ...stage, reads: [access] });
      sizes.set(access.buffer, Math.max(bytes, sizes.get(access.buffer) ?? 0));
    }
  }
  for (const { name } of reductions) if (!kept.includes(name)) sizes.delete(name);
  return [...sizes.values()].reduce((all, bytes) => all + bytes, 0);
}
