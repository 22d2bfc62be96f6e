// Rule `row-groups`: reductions along rows, and what is made of them, such as softmax, norms and products with a vector. A group of
// threads works on some rows from end to end: one launch.
//
//   for i.0: blockIdx.x
//     Y.max, Y.sum of these rows       threads of a row take parts, and combine them
//     for j.2: threadIdx.x, …: Y[i, j]
//
// Rows that several stages read may stay in the registers of their threads, and so may functions of them that are read twice.

import { type AcceleratorTarget, computesElementOf, loopName } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import {
  atMost,
  type Draft,
  decide,
  estimate,
  fuse,
  instruct,
  product,
  sum,
  tilesOf,
  tunable,
} from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { bytesInGroup } from "./limits.ts";
import { rowEstimate } from "./row-estimate.ts";
import { keptRows, type RowGroup, rowGroupOf } from "./row-group.ts";
import {
  combinersOf,
  rowGroups as cutRows,
  keepInRegisters,
  placeReduction,
  rowGroupLoop,
  rowLanes,
  rowLanesOf,
  rowMap,
  rowReduction,
  rowsOfGroup,
  rowUnrollOf,
  threadsOfRow,
} from "./row-loops.ts";
import { slicedRows } from "./thread-tiles.ts";
import { powerFrom } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

export const rowGroups: SpaceRule<AcceleratorTarget> = {
  name: "row-groups",

  applies: (stage, context) => rowGroupOf(stage, context) !== null,

  apply(draft, stage, context) {
    const rows = rowGroupOf(stage, context)!;
    const { target } = context.task;
    const members = [...rows.reductions.filter((it) => it !== stage), ...rows.inlined];
    const begun = members.reduce((result, { name }) => fuse(result, name), draft);
    const kept = keptRows(rows);
    const fits = kept.length > 0 && longestRow(rows) <= threadSizes.mostKept * threadSizes.rowThreads.at(-1)!;
    const isAlone = rows.reductions.length === 1 && rows.reductions[0] === stage && rows.inlined.length === 0;
    return [
      inMemory(begun, rows, target),
      ...(fits ? [inRegisters(begun, rows, kept, target)] : []),
      ...(isAlone ? slicedRows(draft, stage, context) : []),
    ];
  },
};

const titleOf = ({ root, reductions }: RowGroup): string => {
  const others = reductions.filter((it) => it !== root).map(({ name }) => name);
  return others.length === 0 ? `${root.name} by rows` : `${root.name} with ${others.join(", ")} by rows`;
};

function inMemory(draft: Draft, rows: RowGroup, target: AcceleratorTarget): Draft {
  const decided = addRowChoices(decide(draft, titleOf(rows)), rows, target);
  const written = tunable(decided, rowUnrollOf(rows), threadSizes.rowUnrolls);
  const lanes = rowLanes(rows);
  const unrolled = lanes.length > 1 ? tunable(written, rowLanesOf(rows), lanes) : written;
  return instruct(estimate(unrolled, rowEstimate(rows, [], target)), ...cutRows(rows), ...reductionsOf(rows, false));
}

function inRegisters(draft: Draft, rows: RowGroup, kept: readonly string[], target: AcceleratorTarget): Draft {
  const named = decide(draft, `${titleOf(rows)}, kept in registers`);
  const decided = limitKept(addRowChoices(named, rows, target), rows);
  return instruct(
    estimate(decided, rowEstimate(rows, kept, target)),
    ...cutRows(rows),
    ...reductionsOf(rows, true),
    ...kept.flatMap((buffer) => keepRow(buffer, rows)),
  );
}

/** The last stages come first: a stage is brought to the loops of those that read it. */
function reductionsOf(rows: RowGroup, isKept: boolean): Instructions {
  const { root, reductions } = rows;
  const own = root.reduce.length > 0 ? rowReduction(root, rows, isKept) : rowMap(rows, isKept);
  const placed = reductions
    .filter((it) => it !== root)
    .toReversed()
    .flatMap((stage) => [
      ...placeReduction(stage, rows),
      ...(isKept ? sharedElements(stage, rows) : []),
      ...rowReduction(stage, rows, isKept),
    ]);
  // The loops of a root that is a reduction are taken apart by it, so that others have to be there before.
  return root.reduce.length > 0 ? [...placesOf(rows), ...own, ...withoutPlaces(placed)] : [...own, ...placed];
}

const placesOf = (rows: RowGroup): Instructions =>
  rows.reductions
    .filter((it) => it !== rows.root)
    .toReversed()
    .flatMap((stage) => placeReduction(stage, rows));

const withoutPlaces = (instructions: Instructions): Instructions =>
  instructions.filter(({ kind }) => kind !== "compute-at");

/** What a reduction takes in is computed once, where the root computes the same by costly functions. */
function sharedElements(stage: SchedulableStage, rows: RowGroup): Instructions {
  const { root, leading } = rows;
  const isShared =
    stage.callsFunctions &&
    stage.reduce.length === 1 &&
    root.reduce.length === 0 &&
    computesElementOf(stage.block, root.block);
  if (!isShared) return [];
  const elements = `${stage.name}.element`;
  const loops = stage.block.axes.map(({ name }) => loopName(elements, name));
  return [
    { kind: "share-element", block: stage.name },
    { kind: "compute-at", block: elements, loop: rowGroupLoop(rows) },
    ...keepInRegisters(elements, loops[leading.length - 1]!, loops.at(-1)!, rows),
  ];
}

function keepRow(buffer: string, rows: RowGroup): Instructions {
  const copy = `${buffer}.pack`;
  const { length } = rows.leading;
  const layout = Array.from({ length: length + 1 }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  return [
    { kind: "cache-read", buffer, loop: rowGroupLoop(rows), layout },
    ...keepInRegisters(copy, `${copy}.${length - 1}`, `${copy}.${length}`, rows),
  ];
}

/** Elements of the longest row. */
const longestRow = ({ reductions, inner }: RowGroup): number =>
  Math.max(
    ...reductions.map(({ reduce }) => reduce.reduce((count, { extent }) => count * extent, 1)),
    inner.reduce((count, { extent }) => count * extent, 1),
  );

function addRowChoices(draft: Draft, rows: RowGroup, { limits }: AcceleratorTarget): Draft {
  const { root, leading } = rows;
  const most = limits.threadsPerGroup ?? 1;
  const longest = powerFrom(longestRow(rows));
  const threads = threadSizes.rowThreads.filter((count) => count <= Math.min(most, longest));
  const last = leading.at(-1)!.extent;
  const together = threadSizes.rowsOfGroup.filter((count) => last % count === 0);
  const decided = [
    [threadsOfRow(rows), threads],
    [combinersOf(rows), threadSizes.rowCombiners],
    [rowsOfGroup(rows), together],
  ].reduce((result, [name, values]) => tunable(result, name as string, values as readonly number[]), draft);
  const combined = product(
    decided,
    `${root.name}.combined`,
    [combinersOf(rows), 2],
    "twice the threads that combine parts",
  );
  const fewer = atMost(
    combined,
    `${root.name}.combined`,
    threadsOfRow(rows),
    "half of the threads of a row, or fewer, combine its parts",
  );
  const all = product(fewer, `${root.name}.threads`, [threadsOfRow(rows), rowsOfGroup(rows)], "threads of a group");
  const few = atMost(all, `${root.name}.threads`, most, `a group has at most ${most} threads`);
  const least = Math.min(threadSizes.leastThreads, threads.at(-1)! * together.at(-1)!);
  const enough = atMost(few, least, `${root.name}.threads`, `a group has at least ${least} threads`);
  return limitLaunch(limitMemory(enough, rows, limits.groupBytes ?? 0), rows, limits.groupsAlongAxis ?? 1);
}

/** Parts of rows in the memory of the group. */
function limitMemory(draft: Draft, rows: RowGroup, most: number): Draft {
  const { root, reductions } = rows;
  const combiners = `${root.name}.combiners`;
  const counted = product(
    draft,
    combiners,
    [combinersOf(rows), rowsOfGroup(rows)],
    "threads that combine parts of rows",
  );
  const bytes = `${root.name}.group-bytes`;
  const size = reductions.reduce((all, { dtype }) => all + bytesInGroup(dtype), 0);
  const terms = [`${root.name}.threads`, combiners].map((term) => ({ coefficient: size, term }));
  return atMost(
    sum(counted, bytes, terms, 0, "bytes of memory of a group"),
    bytes,
    most,
    `parts of ${reductions.map(({ name }) => name).join(" and ")} fit the ${most} bytes of a group`,
  );
}

function limitLaunch(draft: Draft, rows: RowGroup, most: number): Draft {
  const { root, leading } = rows;
  const last = leading.at(-1)!.extent;
  const outer = leading.slice(0, -1).reduce((count, { extent }) => count * extent, 1);
  const along = tilesOf(
    draft,
    `${root.name}.groups-along`,
    last,
    rowsOfGroup(rows),
    "groups along the last of the axes of rows",
  );
  const all = product(
    along,
    `${root.name}.groups`,
    [outer, `${root.name}.groups-along`],
    `groups of threads for ${root.name}`,
  );
  return atMost(all, `${root.name}.groups`, most, `a launch has at most ${most} groups`);
}

/** A thread has few elements of a row, all of them written out. */
function limitKept(draft: Draft, rows: RowGroup): Draft {
  const { mostKept } = threadSizes;
  const reach = `${rows.root.name}.row-reach`;
  const covered = product(draft, reach, [mostKept, threadsOfRow(rows)], "most elements of a row that its threads keep");
  return atMost(covered, longestRow(rows), reach, `a thread keeps at most ${mostKept} elements of a row`);
}
