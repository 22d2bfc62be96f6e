// How the parts of rows that threads have become sums: through the memory of the group, where a few threads add them up or each does so for
// itself, or by shuffles of neighbours.

import { threadSizes } from "../../prior/thread-sizes.ts";
import { is } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import { combinersOf, inAnyCase, type RowForm, type Steps, threadsOfRow } from "./row-form.ts";
import type { RowGroup } from "./row-group.ts";
import { named } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

/** @param own the loop over rows of a thread, if it has several */
export function combinedIn({ shuffleLanes }: RowForm, own: string | null): Combine {
  if (shuffleLanes > 0) return own === null ? combinedByShuffles(shuffleLanes) : combinedRowsByShuffles(own);
  return own === null ? combined : combinedByRows(own);
}

type Combine = (stage: SchedulableStage, rows: RowGroup, parts: Parts) => Steps;

interface Parts {
  /** The loop over rows of the group, and the one over parts of a row. */
  readonly row: string;
  readonly parts: string;
}

/** Brings a sum into registers: the root's, on its way to memory. */
const lastSum = ({ name, block }: SchedulableStage, { root }: RowGroup, result: string): Instructions =>
  block === root.block
    ? [{ kind: "cache-write", block: name, loop: result, scope: "register" }]
    : [{ kind: "set-scope", buffer: name, scope: "register" }];

/** Adds up the parts that threads have, by a few threads or by all. */
function combined(stage: SchedulableStage, rows: RowGroup, { row, parts }: Parts): Steps {
  const { name } = stage;
  const all = combinersOf(rows);
  const few = threadSizes.rowCombiners.filter((count) => count > 1);
  const [part, combiner] = [`${parts}.0`, `${parts}.1`];
  const last = (result: string): Instructions => lastSum(stage, rows, result);
  const byFew: Instructions = [
    { kind: "split", loop: parts, factors: [0, named(all)], tail: "perfect" },
    { kind: "reorder", loops: [combiner, final(row), part] },
    { kind: "rfactor", loop: combiner },
    { kind: "set-scope", buffer: `${name}.rf2`, scope: "group" },
    { kind: "bind", loop: combiner, axis: "threadIdx.x" },
    { kind: "bind", loop: final(row), axis: "threadIdx.y" },
    { kind: "unroll", loop: part },
    { kind: "cache-write", block: `${name}.rf2`, loop: final(row), scope: "register" },
    { kind: "bind", loop: final(final(row)), axis: "threadIdx.y" },
    { kind: "unroll", loop: final(combiner) },
    ...last(final(final(row))),
  ];
  const byAll: Instructions = [
    { kind: "bind", loop: final(row), axis: "threadIdx.y" },
    { kind: "unroll", loop: parts },
    ...last(final(row)),
  ];
  return [...inAnyCase(byFew, [{ tunable: all, oneOf: few }]), ...inAnyCase(byAll, [is(all, 1)])];
}

/** The first threads of a row add up the parts of one of its rows each. */
const combinedByRows =
  (own: string): Combine =>
  ({ name }, _, { row, parts }) =>
    inAnyCase([
      { kind: "bind", loop: final(row), axis: "threadIdx.y" },
      { kind: "bind", loop: final(own), axis: "threadIdx.x" },
      { kind: "unroll", loop: parts },
      { kind: "cache-write", block: name, loop: final(own), scope: "register" },
    ]);

/** Marks the loop over parts that neighbours have in their registers. */
const shuffled = (loop: string) => ({ kind: "annotate", loop, key: "shuffle", value: 1 }) as const;

/** Threads of a row, which are neighbours, add up the parts of each of its rows. */
const combinedRowsByShuffles =
  (own: string): Combine =>
  ({ name }, _, { row, parts }) =>
    inAnyCase([
      { kind: "bind", loop: final(row), axis: "threadIdx.y" },
      { kind: "unroll", loop: final(own) },
      shuffled(parts),
      { kind: "cache-write", block: name, loop: final(own), scope: "register" },
    ]);

/** Neighbours add up their parts by shuffles. Where a row has more threads than that, all of them add up what neighbours have, from the memory of the group. */
const combinedByShuffles =
  (lanes: number): Combine =>
  (stage, rows, { row, parts }) => {
    const { name } = stage;
    const threads = threadsOfRow(rows);
    const [part, lane] = [`${parts}.0`, `${parts}.1`];
    const atOnce: Instructions = [
      { kind: "bind", loop: final(row), axis: "threadIdx.y" },
      shuffled(parts),
      ...lastSum(stage, rows, final(row)),
    ];
    const inSteps: Instructions = [
      { kind: "split", loop: parts, factors: [0, lanes], tail: "perfect" },
      { kind: "reorder", loops: [part, final(row), lane] },
      { kind: "rfactor", loop: part },
      { kind: "set-scope", buffer: `${name}.rf2`, scope: "group" },
      { kind: "bind", loop: part, axis: "threadIdx.x" },
      { kind: "bind", loop: final(row), axis: "threadIdx.y" },
      shuffled(lane),
      { kind: "cache-write", block: `${name}.rf2`, loop: final(row), scope: "register" },
      { kind: "bind", loop: final(final(row)), axis: "threadIdx.y" },
      { kind: "unroll", loop: final(part) },
      ...lastSum(stage, rows, final(final(row))),
    ];
    const counts = threadSizes.rowThreads;
    const few = counts.filter((count) => count <= lanes);
    const many = counts.filter((count) => count > lanes);
    return [
      ...inAnyCase(atOnce, [{ tunable: threads, oneOf: few }]),
      ...inAnyCase(inSteps, [{ tunable: threads, oneOf: many }]),
    ];
  };

/** Name of what is left of a loop behind the reduction that it was taken out of. */
export const final = (loop: string): string => `${loop}.final`;
