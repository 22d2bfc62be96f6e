// Load of rows that groups of threads reduce on the machine: the facts that their time is predicted from.

import { type AcceleratorTarget, byteSize } from "../../../compiler/index.ts";
import type { Estimate } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import {
  bytesOf,
  bytesReadBy,
  depthOf,
  elementsOf,
  loadOfGroups,
  operationsIn,
  otherFacts,
  valueIn,
} from "./group-load.ts";
import type { RowGroup } from "./row-group.ts";
import { combinersOf, rowLanesOf, rowsOfGroup, rowUnrollOf, threadsOfRow } from "./row-loops.ts";

/** @param kept buffers whose rows stay in registers from their first reader on */
export const rowEstimate =
  (rows: RowGroup, kept: readonly string[], target: AcceleratorTarget): Estimate =>
  (assignment) => {
    const { root, reductions, leading } = rows;
    const value = valueIn(assignment);
    const [inRow, combiners, together, once, lanes] = [
      threadsOfRow,
      combinersOf,
      rowsOfGroup,
      rowUnrollOf,
      rowLanesOf,
    ].map((of) => value(of(rows))) as [number, number, number, number, number];
    const unroll = once * lanes;
    const stages = root.reduce.length > 0 ? reductions : [...reductions, root];
    const count = leading.reduce((all, { extent }) => all * extent, 1);
    const [groups, threads] = [count / together, inRow * together];
    const lengths = stages.map((stage) => (depthOf(stage) * elementsOf(stage)) / count);
    const parts = lengths.map((length) => Math.ceil(length / (inRow * lanes)) * lanes);
    const asked = lengths.reduce((all, length) => all + length, 0);
    const done = parts.reduce((all, part) => all + part * inRow, 0);
    // Parts are combined by a few threads while the others wait.
    const combining = reductions.length * (inRow / combiners + combiners);
    const walks = kept.length > 0 ? 1 : stages.length;
    const first = firstReads(rows, kept);
    const read = kept.length > 0 ? first : stages.reduce((all, stage) => all + bytesReadBy(stage), 0);
    // Operands that rows share, such as a vector, come from near, but are loaded for each row.
    const near = reductions.reduce((all, stage) => all + loadedBytes(stage), 0);
    // A vector is one load, as a number is.
    const share = (1 + 1 / lanes) / 2;
    return {
      ...otherFacts,
      ...loadOfGroups(
        {
          groups,
          threads,
          atOnce: kept.length > 0 ? parts[0]! : unroll,
          waits: (walks * Math.max(...parts)) / (kept.length > 0 ? Math.max(...parts) : unroll),
          barriers: 2 * reductions.length,
          surplus: done / asked,
        },
        target,
      ),
      flops: stages.reduce((all, stage) => all + operationsIn(stage), 0) + groups * threads * combining,
      bytesFromL2: groups * threads * combining * byteSize[root.dtype] + (kept.length > 0 ? 0 : near * share),
      bytesFromL3: read * share,
      bytesFromMemory: first + bytesOf(root),
    };
  };

/** Bytes of all loads of a reduction. */
const loadedBytes = (stage: SchedulableStage): number =>
  stage.reads.reduce((all, { dtype }) => all + byteSize[dtype] * elementsOf(stage) * depthOf(stage), 0);

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
