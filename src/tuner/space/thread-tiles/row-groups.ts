// Rule `row-groups`: reductions along rows, and what is made of them, such as softmax, norms and products with a vector. A group of
// threads works on some rows from end to end: one launch.
//
//   for i.0: blockIdx.x
//     Y.max, Y.sum of these rows       threads of a row take parts, and combine them
//     for j.2: threadIdx.x, …: Y[i, j]
//
// Rows that several stages read may stay in the registers of their threads, and so may functions of them that are read twice. Threads take
// numbers or vectors of a row, and several rows where these share an operand.

import { type AcceleratorTarget, loopName, shuffleLanesOf } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import {
  atMost,
  constrain,
  type Draft,
  decide,
  derived,
  estimate,
  fuse,
  instructAll,
  is,
  product,
  sum,
  tilesOf,
  tunable,
  valuesOf,
} from "../draft/draft.ts";
import { dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { byteDotOf } from "./byte-dots.ts";
import { atOnceIn } from "./byte-words.ts";
import { bytesInGroup } from "./limits.ts";
import { isFewLongRows } from "./long-sums.ts";
import { rowEstimate } from "./row-estimate.ts";
import { hasSharedElements, keptRows, type RowGroup, rowGroupOf } from "./row-group.ts";
import {
  combinersOf,
  rowGroups as cutRows,
  inAnyCase,
  keepInRegisters,
  placeReduction,
  plainForm,
  type RowForm,
  rowGroupLoop,
  rowLanes,
  rowLanesOf,
  rowMap,
  rowReduction,
  rowsOfGroup,
  rowsOfThread,
  rowUnrollOf,
  type Steps,
  threadsOfRow,
  vectorsOfRows,
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
    return [
      ...waysOf(begun, rows, target),
      ...(isAlone(rows) ? slicedRows(draft, stage, context) : []),
      ...waysByDots(begun, rows, context),
      ...waysByShuffles(begun, rows, target),
      // Each of the reductions is a stage of its own there.
      ...(rows.reductions.some((it) => isFewLongRows(it, context.task)) ? context.otherwise(draft, stage.name) : []),
    ];
  },
};

/** Says whether the rows have nothing but the reduction that they end with. */
const isAlone = ({ root, reductions, inlined }: RowGroup): boolean =>
  reductions.length === 1 && reductions[0] === root && inlined.length === 0;

/** Later ways have names of their own, and what there was before keeps its decisions: locks name them. */
function waysOf(draft: Draft, rows: RowGroup, target: AcceleratorTarget): readonly Draft[] {
  const kept = keptRows(rows);
  const { mostKept, rowThreads } = threadSizes;
  const fits = kept.length > 0 && longestRow(rows) <= mostKept * rowThreads.at(-1)!;
  const hasVectors = vectorsOfRows(rows).length > 0;
  const inVectors = { ...plainForm, inVectors: true };
  return [
    inMemory(draft, rows, plainForm, target),
    ...(isAlone(rows) && sharesOperands(rows)
      ? [inMemory(draft, rows, { ...plainForm, hasSeveral: true }, target)]
      : []),
    ...(hasVectors && rows.root.reduce.length === 0 ? [inMemory(draft, rows, inVectors, target)] : []),
    ...(fits ? [inRegisters(draft, rows, { ...plainForm, isKept: true }, target)] : []),
    ...(fits && hasVectors ? [inRegisters(draft, rows, { ...inVectors, isKept: true }, target)] : []),
  ];
}

/** The ways in which a row's parts are added up in memory of the group, with shuffles in its place. None: the machine has none. */
function waysByShuffles(draft: Draft, rows: RowGroup, target: AcceleratorTarget): readonly Draft[] {
  const shuffleLanes = shuffleLanesOf(target);
  const isHandedOn = rows.reductions.every(({ dtype }) => dtype === "f32" || dtype === "i32");
  if (shuffleLanes === 0 || !isHandedOn) return [];
  const plain: RowForm = { ...plainForm, shuffleLanes };
  const inVectors: RowForm = { ...plain, inVectors: true };
  const fits = keptRows(rows).length > 0 && longestRow(rows) <= threadSizes.mostKept * threadSizes.rowThreads.at(-1)!;
  const hasVectors = vectorsOfRows(rows).length > 0;
  return [
    inMemory(draft, rows, plain, target),
    ...(isAlone(rows) && sharesOperands(rows) ? [inMemory(draft, rows, { ...plain, hasSeveral: true }, target)] : []),
    ...(hasVectors && rows.root.reduce.length === 0 ? [inMemory(draft, rows, inVectors, target)] : []),
    ...(fits ? [inRegisters(draft, rows, { ...plain, isKept: true }, target)] : []),
    ...(fits && hasVectors ? [inRegisters(draft, rows, { ...inVectors, isKept: true }, target)] : []),
  ];
}

/** Ways of a product with a vector by the instruction for words of bytes. None: there is no such instruction for it. */
function waysByDots(draft: Draft, rows: RowGroup, context: RuleContext<AcceleratorTarget>): readonly Draft[] {
  const { root } = rows;
  const { target } = context.task;
  const dot = isAlone(rows) && root.reduce.length === 1 ? byteDotOf(root, root.reduce[0]!.name, context) : null;
  if (!dot) return [];
  const forms = sharesOperands(rows) ? [false, true] : [false];
  return forms.map((hasSeveral) => inMemory(draft, rows, { ...plainForm, hasSeveral, dot }, target));
}

/** Says whether rows have an operand in common, such as a vector. */
const sharesOperands = ({ root, leading }: RowGroup): boolean =>
  threadSizes.rowsOfThread.some((count) => leading.at(-1)!.extent % count === 0) &&
  root.reads.some((read) => !dependsOn(read, leading.at(-1)!.name));

const titleOf = ({ root, reductions }: RowGroup): string => {
  const others = reductions.filter((it) => it !== root).map(({ name }) => name);
  return others.length === 0 ? `${root.name} by rows` : `${root.name} with ${others.join(", ")} by rows`;
};

const byShuffles = ({ shuffleLanes }: RowForm): string => (shuffleLanes > 0 ? ", by shuffles" : "");

function inMemory(draft: Draft, rows: RowGroup, form: RowForm, target: AcceleratorTarget): Draft {
  const several = form.hasSeveral ? ", several a thread" : "";
  const way = `${form.dot ? ", dots of bytes" : ""}${several}${form.inVectors ? ", in vectors" : ""}${byShuffles(form)}`;
  const decided = addRowChoices(decide(draft, `${titleOf(rows)}${way}`), rows, form, target);
  const written = tunable(decided, rowUnrollOf(rows), threadSizes.rowUnrolls);
  const lanes = form.inVectors ? vectorsOfRows(rows) : form.dot ? [1] : rowLanes(rows);
  const unrolled = form.inVectors || lanes.length > 1 ? tunable(written, rowLanesOf(rows), lanes) : written;
  const limited = form.inVectors ? limitVectors(unrolled, rows) : unrolled;
  const timed = estimate(limited, rowEstimate(rows, [], form, target));
  return instructAll(timed, [...inAnyCase(cutRows(rows, form)), ...reductionsOf(rows, form)]);
}

function inRegisters(draft: Draft, rows: RowGroup, form: RowForm, target: AcceleratorTarget): Draft {
  const title = `${titleOf(rows)}, kept in registers${form.inVectors ? " as vectors" : ""}${byShuffles(form)}`;
  const chosen = addRowChoices(decide(draft, title), rows, form, target);
  const decided = limitKept(
    form.inVectors ? tunable(chosen, rowLanesOf(rows), vectorsOfRows(rows)) : chosen,
    rows,
    form,
  );
  const kept = keptRows(rows);
  return instructAll(estimate(decided, rowEstimate(rows, kept, form, target)), [
    ...inAnyCase(cutRows(rows, form)),
    ...reductionsOf(rows, form),
    ...kept.flatMap((buffer) => keepRow(buffer, rows, form)),
  ]);
}

/** The last stages come first: a stage is brought to the loops of those that read it. */
function reductionsOf(rows: RowGroup, form: RowForm): Steps {
  const { root, reductions } = rows;
  const own = root.reduce.length > 0 ? rowReduction(root, rows, form) : inAnyCase(rowMap(rows, form));
  const placed = reductions
    .filter((it) => it !== root)
    .toReversed()
    .flatMap((stage) => [
      ...inAnyCase(placeReduction(stage, rows)),
      ...(form.isKept ? sharedElements(stage, rows, form) : []),
      ...rowReduction(stage, rows, form),
    ]);
  // The loops of a root that is a reduction are taken apart by it, so that others have to be there before.
  return root.reduce.length > 0
    ? [...inAnyCase(placesOf(rows)), ...own, ...withoutPlaces(placed)]
    : [...own, ...placed];
}

const placesOf = (rows: RowGroup): Instructions =>
  rows.reductions
    .filter((it) => it !== rows.root)
    .toReversed()
    .flatMap((stage) => placeReduction(stage, rows));

const withoutPlaces = (steps: Steps): Steps => steps.filter(({ instruction }) => instruction.kind !== "compute-at");

/** What a reduction takes in is computed once, where the root computes the same by costly functions. */
function sharedElements(stage: SchedulableStage, rows: RowGroup, form: RowForm): Steps {
  if (!hasSharedElements(stage, rows)) return [];
  const { leading } = rows;
  const elements = `${stage.name}.element`;
  const loops = stage.block.axes.map(({ name }) => loopName(elements, name));
  return [
    ...inAnyCase([
      { kind: "share-element", block: stage.name },
      { kind: "compute-at", block: elements, loop: rowGroupLoop(rows) },
    ]),
    ...keepInRegisters(elements, loops[leading.length - 1]!, loops.at(-1)!, rows, form),
  ];
}

function keepRow(buffer: string, rows: RowGroup, form: RowForm): Steps {
  const copy = `${buffer}.pack`;
  const { length } = rows.leading;
  const layout = Array.from({ length: length + 1 }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  return [
    ...inAnyCase([{ kind: "cache-read", buffer, loop: rowGroupLoop(rows), layout }]),
    ...keepInRegisters(copy, `${copy}.${length - 1}`, `${copy}.${length}`, rows, form),
  ];
}

/** Elements of the longest row. */
const longestRow = ({ reductions, inner }: RowGroup): number =>
  Math.max(
    ...reductions.map(({ reduce }) => reduce.reduce((count, { extent }) => count * extent, 1)),
    inner.reduce((count, { extent }) => count * extent, 1),
  );

function addRowChoices(draft: Draft, rows: RowGroup, form: RowForm, { limits }: AcceleratorTarget): Draft {
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
  const all = `${root.name}.threads`;
  // Neighbours have one part among them.
  const shuffled = Math.max(1, form.shuffleLanes);
  const more = form.hasSeveral ? `${root.name}.parts` : `${root.name}.combiners`;
  const counted = form.hasSeveral
    ? product(draft, more, [all, rowsOfThread(rows)], "parts of rows")
    : shuffled > 1
      ? draft
      : countCombiners(draft, rows, more);
  const bytes = `${root.name}.group-bytes`;
  const size = reductions.reduce((sum, { dtype }) => sum + bytesInGroup(dtype), 0);
  const parts = form.hasSeveral ? [more] : shuffled > 1 ? [all] : [all, more];
  const terms = parts.map((term) => ({ coefficient: Math.ceil(size / shuffled), term }));
  return atMost(
    sum(counted, bytes, terms, 0, "bytes of memory of a group"),
    bytes,
    most,
    `parts of ${reductions.map(({ name }) => name).join(" and ")} fit the ${most} bytes of a group`,
  );
}

/** Adds the threads of a group that combine parts for others: none, where each does so for itself. */
function countCombiners(draft: Draft, rows: RowGroup, result: string): Draft {
  const each = `${rows.root.name}.row-parts`;
  const counts = threadSizes.rowCombiners.map((count) => [count, count > 1 ? count : 0] as const);
  const known = derived(
    draft,
    each,
    counts.map(([, parts]) => parts),
  );
  const mapped = counts.reduce(
    (so, [count, parts]) =>
      constrain(so, {
        kind: "conditional",
        when: [is(combinersOf(rows), count)],
        then: { kind: "one-of", variable: each, values: [parts] },
        why: "parts of a row that the threads of a row share out",
        role: "definition",
      }),
    known,
  );
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
function limitKept(draft: Draft, rows: RowGroup, form: RowForm): Draft {
  const { mostKept } = threadSizes;
  const reach = `${rows.root.name}.row-reach`;
  const covered = product(draft, reach, [mostKept, threadsOfRow(rows)], "most elements of a row that its threads keep");
  const few = atMost(covered, longestRow(rows), reach, `a thread keeps at most ${mostKept} elements of a row`);
  return form.inVectors ? limitVectors(few, rows) : few;
}

function limitVectors(draft: Draft, rows: RowGroup): Draft {
  const block = `${rows.root.name}.row-block`;
  const parts = [threadsOfRow(rows), rowLanesOf(rows)];
  const taken = product(draft, block, parts, "elements that the threads of a row take at once");
  return atMost(taken, block, powerFrom(longestRow(rows)), "each thread of a row has a vector of it");
}
