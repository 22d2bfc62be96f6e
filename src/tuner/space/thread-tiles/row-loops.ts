// Loops of rows that groups of threads reduce. The threads of a row add up parts of it, a few threads add up those, and each thread of
// the row what these have.
//
//   for i.0 (fused with further rows): blockIdx.x
//     for k.2: threadIdx.x, for i: threadIdx.y
//       for k.0, k.1 written out: S.rf[k.2, i] += …            a register of each thread, then the memory of the group;
//                                                              neighbours k.3 of a thread, where no map follows
//     for k.2.final.1: threadIdx.x
//       for k.2.final.0: S.rf2[k.2.final.1, i] += S.rf[…]
//     for k.2.final.1.final: S[i] += S.rf2[…]                   each thread of the row for itself
//     for j.2: threadIdx.x
//       for j.0, j.1 written out: Y[i, j] = …

import { loopName } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RowGroup } from "./row-group.ts";
import { named } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

export const threadsOfRow = ({ root }: RowGroup): string => `${root.name}.row-threads`;
export const combinersOf = ({ root }: RowGroup): string => `${root.name}.row-combiners`;
export const rowsOfGroup = ({ root }: RowGroup): string => `${root.name}.group-rows`;
export const rowUnrollOf = ({ root }: RowGroup): string => `${root.name}.row-unroll`;
/** Neighbouring elements that a thread reads together. */
export const rowLanesOf = ({ root }: RowGroup): string => `${root.name}.row-lanes`;

/** Numbers of them: rows of a map are stored by neighbouring threads, so that those are read alike. */
export function rowLanes({ root, reductions }: RowGroup): readonly number[] {
  const isSole = root.reduce.length > 0 && reductions.every(({ reduce }) => reduce.length === 1);
  const isWhole = (count: number): boolean => reductions.every(({ reduce }) => reduce[0]!.extent % count === 0);
  return isSole ? threadSizes.lanes.filter(isWhole) : [1];
}

const hasLanes = (rows: RowGroup, isKept: boolean): boolean => !isKept && rowLanes(rows).length > 1;

const fused = (parts: readonly string[]): Instructions =>
  parts.slice(1).map((inner, at) => ({ kind: "fuse", outer: parts.slice(0, at + 1).join("+"), inner }) as const);

const rowParts = ({ root, leading }: RowGroup): readonly string[] => {
  const loops = leading.map(({ name }) => loopName(root.name, name));
  return [...loops.slice(0, -1), `${loops.at(-1)}.0`];
};

/** The loop over groups. */
export const rowGroupLoop = (rows: RowGroup): string => rowParts(rows).join("+");
const lastLeading = ({ root, leading }: RowGroup): string => loopName(root.name, leading.at(-1)!.name);

/** Cuts the rows of the root into groups. */
export function rowGroups(rows: RowGroup): Instructions {
  return [
    ...rows.inlined.toReversed().map(({ name }) => ({ kind: "inline", block: name }) as const),
    { kind: "split", loop: lastLeading(rows), factors: [0, named(rowsOfGroup(rows))], tail: "perfect" },
    ...fused(rowParts(rows)),
    { kind: "bind", loop: rowGroupLoop(rows), axis: "blockIdx.x" },
  ];
}

/** Cuts a row, of one loop or several, into what its threads take; all of its parts are written out where they are kept. */
function cutRow(
  loops: readonly string[],
  rows: RowGroup,
  isKept: boolean,
): { readonly cut: Instructions; readonly loop: string; readonly marks: Instructions } {
  const loop = loops.join("+");
  const lanes = hasLanes(rows, isKept) ? [named(rowLanesOf(rows))] : [];
  const written = isKept ? [`${loop}.0`, `${loop}.1`] : [`${loop}.1`, ...lanes.map(() => `${loop}.3`)];
  return {
    loop,
    cut: [
      ...fused(loops),
      {
        kind: "split",
        loop,
        factors: [0, isKept ? 1 : named(rowUnrollOf(rows)), named(threadsOfRow(rows)), ...lanes],
        tail: "guard",
      },
    ],
    marks: written.map((it) => ({ kind: "unroll", loop: it }) as const),
  };
}

/** Loops of a map along the rows. */
export function rowMap(rows: RowGroup, isKept: boolean): Instructions {
  const { root, inner } = rows;
  const bound = { kind: "bind", loop: `${lastLeading(rows)}.1`, axis: "threadIdx.y" } as const;
  if (inner.length === 0) return [bound];
  const { cut, loop, marks } = cutRow(
    inner.map(({ name }) => loopName(root.name, name)),
    rows,
    isKept,
  );
  return [...cut, bound, { kind: "bind", loop: `${loop}.2`, axis: "threadIdx.x" }, ...marks];
}

/** Brings a reduction to the loop over groups. */
export const placeReduction = ({ name }: SchedulableStage, rows: RowGroup): Instructions => [
  { kind: "compute-at", block: name, loop: rowGroupLoop(rows) },
];

/** Loops of a reduction along the rows, which is the root or stands at the loop over groups. */
export function rowReduction(stage: SchedulableStage, rows: RowGroup, isKept: boolean): Instructions {
  const { name, spatial, reduce } = stage;
  const isRoot = stage === rows.root;
  const row = isRoot ? `${lastLeading(rows)}.1` : loopName(name, spatial.at(-1)!.name);
  const { cut, loop, marks } = cutRow(
    reduce.map((axis) => loopName(name, axis.name)),
    rows,
    isKept,
  );
  const [steps, once, thread] = [0, 1, 2].map((level) => `${loop}.${level}`) as [string, string, string];
  const parts = `${thread}.final`;
  const [part, combiner] = [`${parts}.0`, `${parts}.1`];
  const result = `${row}.final.final`;
  const last: Instructions = isRoot
    ? [{ kind: "cache-write", block: name, loop: result, scope: "register" }]
    : [{ kind: "set-scope", buffer: name, scope: "register" }];
  return [
    ...cut,
    { kind: "reorder", loops: [thread, row, steps, once, ...(hasLanes(rows, isKept) ? [`${loop}.3`] : [])] },
    { kind: "rfactor", loop: thread },
    { kind: "set-scope", buffer: `${name}.rf`, scope: "group" },
    { kind: "bind", loop: thread, axis: "threadIdx.x" },
    { kind: "bind", loop: row, axis: "threadIdx.y" },
    ...marks,
    { kind: "cache-write", block: `${name}.rf`, loop: row, scope: "register" },
    { kind: "split", loop: parts, factors: [0, named(combinersOf(rows))], tail: "perfect" },
    { kind: "reorder", loops: [combiner, `${row}.final`, part] },
    { kind: "rfactor", loop: combiner },
    { kind: "set-scope", buffer: `${name}.rf2`, scope: "group" },
    { kind: "bind", loop: combiner, axis: "threadIdx.x" },
    { kind: "bind", loop: `${row}.final`, axis: "threadIdx.y" },
    { kind: "unroll", loop: part },
    { kind: "cache-write", block: `${name}.rf2`, loop: `${row}.final`, scope: "register" },
    { kind: "bind", loop: result, axis: "threadIdx.y" },
    { kind: "unroll", loop: `${combiner}.final` },
    ...last,
  ];
}

/** Each thread has its elements of a row in registers: `copy` is a buffer with the rows of the group, and its last loop. */
export function keepInRegisters(copy: string, row: string, along: string, rows: RowGroup): Instructions {
  const { cut, loop, marks } = cutRow([along], rows, true);
  return [
    ...cut,
    { kind: "bind", loop: row, axis: "threadIdx.y" },
    { kind: "bind", loop: `${loop}.2`, axis: "threadIdx.x" },
    ...marks,
    { kind: "set-scope", buffer: copy, scope: "register" },
    { kind: "storage-align", buffer: copy, dim: rows.leading.length - 1, factor: named(threadsOfRow(rows)), offset: 0 },
  ];
}
