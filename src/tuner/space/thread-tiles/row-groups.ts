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
import { type Draft, decide, estimate, fuse, instructAll, tunable } from "../draft/draft.ts";
import { dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { byteDotOf } from "./byte-dots.ts";
import { isFewLongRows } from "./long-sums.ts";
import { rowEstimate } from "./row-estimate.ts";
import { inAnyCase, plainForm, type RowForm, rowLanesOf, rowUnrollOf, type Steps } from "./row-form.ts";
import { hasSharedElements, keptRows, type RowGroup, rowGroupOf } from "./row-group.ts";
import { addRowChoices, limitKept, limitVectors, longestRow } from "./row-limits.ts";
import {
  rowGroups as cutRows,
  keepInRegisters,
  placeReduction,
  rowGroupLoop,
  rowLanes,
  rowMap,
  rowReduction,
  vectorsOfRows,
} from "./row-loops.ts";
import { slicedRows } from "./thread-tiles.ts";
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
      ...waysOf(begun, rows, plainForm, target),
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
function waysOf(draft: Draft, rows: RowGroup, plain: RowForm, target: AcceleratorTarget): readonly Draft[] {
  const kept = keptRows(rows);
  const { mostKept, rowThreads } = threadSizes;
  const fits = kept.length > 0 && longestRow(rows) <= mostKept * rowThreads.at(-1)!;
  const hasVectors = vectorsOfRows(rows).length > 0;
  const inVectors = { ...plain, inVectors: true };
  return [
    inMemory(draft, rows, plain, target),
    ...(isAlone(rows) && sharesOperands(rows) ? [inMemory(draft, rows, { ...plain, hasSeveral: true }, target)] : []),
    ...(hasVectors && rows.root.reduce.length === 0 ? [inMemory(draft, rows, inVectors, target)] : []),
    ...(fits ? [inRegisters(draft, rows, { ...plain, isKept: true }, target)] : []),
    ...(fits && hasVectors ? [inRegisters(draft, rows, { ...inVectors, isKept: true }, target)] : []),
  ];
}

/** The same ways with shuffles in the place of the memory of a group. None: the machine, or the type of the sums, has none. */
function waysByShuffles(draft: Draft, rows: RowGroup, target: AcceleratorTarget): readonly Draft[] {
  const shuffleLanes = shuffleLanesOf(target);
  const isHandedOn = rows.reductions.every(({ dtype }) => dtype === "f32" || dtype === "i32");
  return shuffleLanes > 0 && isHandedOn ? waysOf(draft, rows, { ...plainForm, shuffleLanes }, target) : [];
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
