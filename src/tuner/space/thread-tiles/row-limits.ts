// Decisions of rows and their limits: threads, parts and memory of a group, and what a thread keeps.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import {
  atMost,
  constrain,
  type Draft,
  derived,
  is,
  product,
  sum,
  tilesOf,
  tunable,
  valuesOf,
} from "../draft/draft.ts";
import { atOnceIn } from "./byte-words.ts";
import { bytesInGroup } from "./limits.ts";
import { combinersOf, type RowForm, rowLanesOf, rowsOfGroup, rowsOfThread, threadsOfRow } from "./row-form.ts";
import type { RowGroup } from "./row-group.ts";
import { vectorsOfRows } from "./row-loops.ts";
import { powerFrom } from "./tile-choices.ts";

/** Elements of the longest row. */
export const longestRow = ({ reductions, inner }: RowGroup): number =>
  Math.max(
    ...reductions.map(({ reduce }) => reduce.reduce((count, { extent }) => count * extent, 1)),
    inner.reduce((count, { extent }) => count * extent, 1),
  );

export function addRowChoices(draft: Draft, rows: RowGroup, form: RowForm, { limits }: AcceleratorTarget): Draft {
  const { root, leading } = rows;
  const most = limits.threadsPerGroup ?? 1;
  const atOnce = form.inVectors ? vectorsOfRows(rows)[0]! : atOnceIn(form.dot);
  const longest = powerFrom(Math.ceil(longestRow(rows) / atOnce));
  const threads = threadSizes.rowThreads.filter((count) => count <= Math.min(most, longest));
  const last = leading.at(-1)!.extent;
  const divisors = (counts: readonly number[]): readonly number[] => counts.filter((count) => last % count === 0);
  const together = divisors(threadSizes.rowsOfGroup);
  const decided = [
    [threadsOfRow(rows), threads] as const,
    ...(form.hasSeveral
      ? [[rowsOfThread(rows), divisors(threadSizes.rowsOfThread)] as const]
      : form.shuffleLanes > 0
        ? []
        : [[combinersOf(rows), threadSizes.rowCombiners] as const]),
    [rowsOfGroup(rows), together] as const,
  ].reduce((result, [name, values]) => tunable(result, name, values), draft);
  const combining = limitParts(decided, rows, form, threads);
  const all = product(combining, `${root.name}.threads`, [threadsOfRow(rows), rowsOfGroup(rows)], "threads of a group");
  const few = atMost(all, `${root.name}.threads`, most, `a group has at most ${most} threads`);
  const least = Math.min(threadSizes.leastThreads, mostThreads(threads.at(-1)!, together, last, form));
  const enough = atMost(few, least, `${root.name}.threads`, `a group has at least ${least} threads`);
  const held = limitMemory(enough, rows, form, limits.groupBytes ?? 0);
  return limitLaunch(held, rows, form);
}

/** Threads that a group has at most. Where each has several rows, a group has fewer of them, and a row fewer threads. */
function mostThreads(ofRow: number, together: readonly number[], rows: number, form: RowForm): number {
  if (!form.hasSeveral) return ofRow * together.at(-1)!;
  const fits = (count: number): boolean => threadSizes.rowsOfThread.some((several) => rows % (count * several) === 0);
  return Math.min(ofRow, mostPartsOf(form)) * together.findLast(fits)!;
}

function limitParts(draft: Draft, rows: RowGroup, form: RowForm, threads: readonly number[]): Draft {
  if (form.hasSeveral) return limitSeveral(draft, rows, form);
  if (form.shuffleLanes === 0) return limitCombiners(draft, rows, threads);
  const most = threadSizes.mostParts * form.shuffleLanes;
  return atMost(draft, threadsOfRow(rows), most, `a thread combines at most ${threadSizes.mostParts} parts`);
}

/** Most parts of a row, where threads have several: one thread, or neighbours, add up all of them. */
const mostPartsOf = ({ shuffleLanes }: RowForm): number => (shuffleLanes > 0 ? shuffleLanes : threadSizes.mostParts);

/** Some threads of a row add up its parts, or all of them do so for themselves, if those are few. */
function limitCombiners(draft: Draft, rows: RowGroup, threads: readonly number[]): Draft {
  const [combined, parts] = [`${rows.root.name}.combined`, threadSizes.mostParts];
  const twice = product(draft, combined, [combinersOf(rows), 2], "twice the threads that combine parts");
  const fewer = atMost(
    twice,
    combined,
    threadsOfRow(rows),
    "half of the threads of a row, or fewer, combine its parts",
  );
  return constrain(fewer, {
    kind: "conditional",
    when: [is(combinersOf(rows), 1)],
    then: { kind: "one-of", variable: threadsOfRow(rows), values: threads.filter((count) => count <= parts) },
    why: `each thread of a row combines at most ${parts} parts`,
    role: "limit",
  });
}

/** Each row of a thread has a thread that adds up its parts, which are not too many for it. */
function limitSeveral(draft: Draft, rows: RowGroup, form: RowForm): Draft {
  const most = mostPartsOf(form);
  if (form.shuffleLanes > 0) return atMost(draft, threadsOfRow(rows), most, `${most} neighbours combine a row`);
  const few = atMost(draft, threadsOfRow(rows), most, `a thread combines at most ${most} parts`);
  return atMost(
    few,
    rowsOfThread(rows),
    threadsOfRow(rows),
    "each row of a thread has a thread that combines its parts",
  );
}

/** Parts of rows in the memory of the group. */
function limitMemory(draft: Draft, rows: RowGroup, form: RowForm, most: number): Draft {
  const { root, reductions } = rows;
  const { counted, parts } = countParts(draft, rows, form);
  if (parts.length === 0) return draft;
  const bytes = `${root.name}.group-bytes`;
  const size = reductions.reduce((sum, { dtype }) => sum + bytesInGroup(dtype), 0);
  const terms = parts.map((term) => ({ coefficient: size, term }));
  return atMost(
    sum(counted, bytes, terms, 0, "bytes of memory of a group"),
    bytes,
    most,
    `parts of ${reductions.map(({ name }) => name).join(" and ")} fit the ${most} bytes of a group`,
  );
}

interface CountedParts {
  readonly counted: Draft;
  /** Quantities of parts that add up; none: no part goes through the memory of the group. */
  readonly parts: readonly string[];
}

function countParts(draft: Draft, rows: RowGroup, { hasSeveral, shuffleLanes }: RowForm): CountedParts {
  const all = `${rows.root.name}.threads`;
  if (hasSeveral) {
    if (shuffleLanes > 0) return { counted: draft, parts: [] };
    const parts = `${rows.root.name}.parts`;
    return { counted: product(draft, parts, [all, rowsOfThread(rows)], "parts of rows"), parts: [parts] };
  }
  const combined = `${rows.root.name}.combiners`;
  if (shuffleLanes === 0) {
    const byFew = (threads: number): number => (threads > 1 ? threads : 0);
    return { counted: countCombined(draft, rows, combinersOf(rows), byFew), parts: [all, combined] };
  }
  const byNeighbours = (threads: number): number => (threads > shuffleLanes ? threads / shuffleLanes : 0);
  return { counted: countCombined(draft, rows, threadsOfRow(rows), byNeighbours), parts: [combined] };
}

/** Adds the parts of a group's rows that some threads have combined for all: of a row so many as follow from a decision. */
function countCombined(draft: Draft, rows: RowGroup, by: string, partsOf: (value: number) => number): Draft {
  const each = `${rows.root.name}.row-parts`;
  const counts = valuesOf(draft, by).map((value) => [value, partsOf(value)] as const);
  const known = derived(draft, each, [...new Set(counts.map(([, parts]) => parts))]);
  const mapped = counts.reduce(
    (so, [value, parts]) =>
      constrain(so, {
        kind: "conditional",
        when: [is(by, value)],
        then: { kind: "one-of", variable: each, values: [parts] },
        why: "parts of a row that the threads of a row share out",
        role: "definition",
      }),
    known,
  );
  const result = `${rows.root.name}.combiners`;
  return product(mapped, result, [each, rowsOfGroup(rows)], "threads that combine parts of rows");
}

function limitLaunch(draft: Draft, rows: RowGroup, form: RowForm): Draft {
  const { root, leading } = rows;
  const { mostGroups } = threadSizes;
  const last = leading.at(-1)!.extent;
  const outer = leading.slice(0, -1).reduce((count, { extent }) => count * extent, 1);
  const { tiled, rowsTogether } = form.hasSeveral
    ? withRowTiles(draft, rows)
    : { tiled: draft, rowsTogether: rowsOfGroup(rows) };
  const along = tilesOf(
    tiled,
    `${root.name}.groups-along`,
    last,
    rowsTogether,
    "groups along the last of the axes of rows",
  );
  const all = product(
    along,
    `${root.name}.groups`,
    [outer, `${root.name}.groups-along`],
    `groups of threads for ${root.name}`,
  );
  return atMost(all, `${root.name}.groups`, mostGroups, `a launch has at most ${mostGroups} groups`);
}

/** Rows of all threads of a group fill the axis. */
function withRowTiles(draft: Draft, rows: RowGroup): { readonly tiled: Draft; readonly rowsTogether: string } {
  const { name, extent } = rows.leading.at(-1)!;
  const rowsTogether = `${rows.root.name}.row-tile`;
  const counted = product(draft, rowsTogether, [rowsOfGroup(rows), rowsOfThread(rows)], "rows of a group");
  const tiled = constrain(counted, {
    kind: "one-of",
    variable: rowsTogether,
    values: valuesOf(counted, rowsTogether).filter((count) => extent % count === 0),
    why: `groups have all ${extent} of ${name} among them`,
    role: "limit",
  });
  return { tiled, rowsTogether };
}

/** A thread has few elements of a row, all of them written out. */
export function limitKept(draft: Draft, rows: RowGroup, form: RowForm): Draft {
  const { mostKept } = threadSizes;
  const reach = `${rows.root.name}.row-reach`;
  const covered = product(draft, reach, [mostKept, threadsOfRow(rows)], "most elements of a row that its threads keep");
  const few = atMost(covered, longestRow(rows), reach, `a thread keeps at most ${mostKept} elements of a row`);
  return form.inVectors ? limitVectors(few, rows) : few;
}

export function limitVectors(draft: Draft, rows: RowGroup): Draft {
  const block = `${rows.root.name}.row-block`;
  const parts = [threadsOfRow(rows), rowLanesOf(rows)];
  const taken = product(draft, block, parts, "elements that the threads of a row take at once");
  return atMost(taken, block, powerFrom(longestRow(rows)), "each thread of a row has a vector of it");
}
