// Loops of rows that groups of threads reduce. The threads of a row add up parts of it, a few threads add up those, and each thread of
// the row what these have; or each thread of the row adds up all parts for itself.
//
//   for i.0 (fused with further rows): blockIdx.x
//     for k.2: threadIdx.x, for i: threadIdx.y
//       for k.0, k.1 written out: S.rf[k.2, i] += …            a register of each thread, then the memory of the group;
//                                                              neighbours of a thread, as vectors
//     for k.2.final.1: threadIdx.x
//       for k.2.final.0: S.rf2[k.2.final.1, i] += S.rf[…]
//     for k.2.final.1.final: S[i] += S.rf2[…]                   each thread of the row for itself
//     for j.2: threadIdx.x
//       for j.0, j.1 written out: Y[i, j] = …

import { loopName } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { is } from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { isVectorizable } from "../draft/vector-axis.ts";
import { cutWords, takeWords } from "./byte-words.ts";
import { combinedIn, final } from "./row-combining.ts";
import {
  inAnyCase,
  type RowForm,
  rowLanesOf,
  rowsOfGroup,
  rowsOfThread,
  rowUnrollOf,
  type Steps,
  threadsOfRow,
} from "./row-form.ts";
import type { RowGroup } from "./row-group.ts";
import { named } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

/** Numbers of elements that are read together: rows of a map are stored by neighbouring threads, so that those are read alike. */
export function rowLanes({ root, reductions }: RowGroup): readonly number[] {
  const isSole = root.reduce.length > 0 && reductions.every(({ reduce }) => reduce.length === 1);
  const isWhole = (count: number): boolean => reductions.every(({ reduce }) => reduce[0]!.extent % count === 0);
  return isSole ? threadSizes.lanes.filter(isWhole) : [1];
}

/** Elements of the vectors that all rows are whole numbers of, and a map at their end is stored by; none: there are none. */
export function vectorsOfRows({ root, inner, reductions }: RowGroup): readonly number[] {
  const last = inner.at(-1);
  const isStored = last === undefined || root.reads.every((read) => isVectorizable(read, last.name));
  if (!isStored) return [];
  const extents = [...reductions.map(({ reduce }) => reduce.at(-1)!.extent), ...(last ? [last.extent] : [])];
  return threadSizes.lanes.filter((lanes) => lanes > 1 && extents.every((extent) => extent % lanes === 0));
}

const hasLanes = (rows: RowGroup, { isKept, inVectors, dot }: RowForm): boolean =>
  !isKept && !inVectors && !dot && rowLanes(rows).length > 1;

const rowParts = ({ root, leading }: RowGroup): readonly string[] => {
  const loops = leading.map(({ name }) => loopName(root.name, name));
  return [...loops.slice(0, -1), `${loops.at(-1)}.0`];
};

/** The loop over groups. */
export const rowGroupLoop = (rows: RowGroup): string => fusedLoop(rowParts(rows));
const lastLeading = ({ root, leading }: RowGroup): string => loopName(root.name, leading.at(-1)!.name);

/** Cuts the rows of the root into groups. */
export function rowGroups(rows: RowGroup, form: RowForm): Instructions {
  const parts = [rowsOfGroup, ...(form.hasSeveral ? [rowsOfThread] : [])].map((of) => named(of(rows)));
  return [
    ...rows.inlined.toReversed().map(({ name }) => ({ kind: "inline", block: name }) as const),
    { kind: "split", loop: lastLeading(rows), factors: [0, ...parts], tail: "perfect" },
    ...fuseLoops(rowParts(rows)),
    { kind: "bind", loop: rowGroupLoop(rows), axis: "blockIdx.x" },
  ];
}

interface RowCut {
  readonly cut: Instructions;
  /** Loops of the steps, of those that are written out, of the threads, and of neighbours, if a thread has some. */
  readonly steps: string;
  readonly once: string;
  readonly thread: string;
  readonly lanes: string | null;
  /** What is written out; of vectors all but their lanes. */
  readonly marks: Instructions;
}

/** Cuts a row, of one loop or several, into what its threads take; all of its parts are written out where they are kept. */
function cutRow(loops: readonly string[], rows: RowGroup, form: RowForm): RowCut {
  const { isKept, inVectors, dot } = form;
  const loop = fusedLoop(loops);
  const along = inVectors || dot ? `${loop}.0` : loop;
  const inner = hasLanes(rows, form);
  const [steps, once, thread] = [0, 1, 2].map((level) => `${along}.${level}`) as [string, string, string];
  const lanes = named(rowLanesOf(rows));
  const unroll = isKept ? 1 : named(rowUnrollOf(rows));
  const written = isKept ? [steps, once] : [once, ...(inner ? [`${along}.3`] : [])];
  return {
    cut: [
      ...fuseLoops(loops),
      ...(inVectors ? [{ kind: "split", loop, factors: [0, lanes], tail: "perfect" } as const] : []),
      ...cutWords(dot),
      {
        kind: "split",
        loop: along,
        factors: [0, unroll, named(threadsOfRow(rows)), ...(inner ? [lanes] : [])],
        tail: "guard",
      },
    ],
    steps,
    once,
    thread,
    lanes: inVectors ? `${loop}.1` : inner ? `${along}.3` : null,
    marks: written.map((it) => ({ kind: "unroll", loop: it }) as const),
  };
}

/** Loops of a map along the rows. */
export function rowMap(rows: RowGroup, form: RowForm): Instructions {
  const { root, inner } = rows;
  const bound = { kind: "bind", loop: `${lastLeading(rows)}.1`, axis: "threadIdx.y" } as const;
  if (inner.length === 0) return [bound];
  const { cut, thread, lanes, marks } = cutRow(
    inner.map(({ name }) => loopName(root.name, name)),
    rows,
    form,
  );
  return [
    ...cut,
    bound,
    { kind: "bind", loop: thread, axis: "threadIdx.x" },
    ...marks,
    ...(form.inVectors ? [{ kind: "vectorize", loop: lanes! } as const] : []),
  ];
}

/** Brings a reduction to the loop over groups. */
export const placeReduction = ({ name }: SchedulableStage, rows: RowGroup): Instructions => [
  { kind: "compute-at", block: name, loop: rowGroupLoop(rows) },
];

/** Loops of a reduction along the rows, which is the root or stands at the loop over groups. */
export function rowReduction(stage: SchedulableStage, rows: RowGroup, form: RowForm): Steps {
  const { name, spatial, reduce } = stage;
  const { dot } = form;
  const isRoot = stage === rows.root;
  const row = isRoot ? `${lastLeading(rows)}.1` : loopName(name, spatial.at(-1)!.name);
  const { cut, steps, once, thread, lanes, marks } = cutRow(
    reduce.map((axis) => loopName(name, axis.name)),
    rows,
    form,
  );
  // Rows of a thread stand right inside of those of the group.
  const own = form.hasSeveral ? [`${lastLeading(rows)}.2`] : [];
  return [
    ...inAnyCase([
      ...cut,
      {
        kind: "reorder",
        loops: [thread, row, steps, once, ...(lanes === null ? [] : [lanes]), ...own, ...(dot ? [dot.elements] : [])],
      },
      { kind: "rfactor", loop: thread },
      { kind: "set-scope", buffer: `${name}.rf`, scope: form.shuffleLanes > 0 ? "register" : "group" },
      { kind: "bind", loop: thread, axis: "threadIdx.x" },
      { kind: "bind", loop: row, axis: "threadIdx.y" },
      ...marks,
      ...[...(form.inVectors ? [lanes!] : []), ...own].map((loop) => ({ kind: "unroll", loop }) as const),
      { kind: "cache-write", block: `${name}.rf`, loop: row, scope: "register" },
      ...takeWords(dot),
    ]),
    ...combinedIn(form, own[0] ?? null)(stage, rows, { row, parts: final(thread) }),
  ];
}

/** Each thread has its elements of a row in registers: `copy` is a buffer with the rows of the group, and its last loop. */
export function keepInRegisters(copy: string, row: string, along: string, rows: RowGroup, form: RowForm): Steps {
  const { cut, thread, lanes, marks } = cutRow([along], rows, form);
  const align = { kind: "storage-align", buffer: copy, dim: rows.leading.length - 1, offset: 0 } as const;
  const threads = threadsOfRow(rows);
  return [
    ...inAnyCase([
      ...cut,
      { kind: "bind", loop: row, axis: "threadIdx.y" },
      { kind: "bind", loop: thread, axis: "threadIdx.x" },
      ...marks,
      ...(lanes === null ? [] : [{ kind: "unroll", loop: lanes } as const]),
      { kind: "set-scope", buffer: copy, scope: "register" },
    ]),
    ...(form.inVectors
      ? vectorsOfRows(rows).map((count) => {
          return {
            instruction: { ...align, factor: { tunable: threads, times: count } },
            when: [is(rowLanesOf(rows), count)],
          };
        })
      : inAnyCase([{ ...align, factor: named(threads) }])),
  ];
}
