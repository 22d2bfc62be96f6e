// An element-wise stage whose value is chosen by small axes, as the transforms of Winograd's algorithm are: these loops
// go inside the vectorised one and are unrolled, so that every choice is made at compile time and what the alternatives
// read is read once.
//
//   for a in 0..2, i, c: select(a == 0, X, Y)   →   for i, c.0: a = 0: X; a = 1: Y    c.1 in vectors
//   for y, c: select(y mod 2 == 0, X, Y)        →   for y.0, c.0: y.1 = 0: X; y.1 = 1: Y    c.1 in vectors
//
// A map that only this stage reads, as the padded image is, is computed row by row where it is read.

import { type Expr, loopName, someExpr, toAffine, walkExpr } from "../../../compiler/index.ts";
import { type Draft, estimate, fuse, instruct } from "../draft.ts";
import { mapEstimate } from "../map-estimate.ts";
import type { SchedulableStage } from "../schedulable-stage.ts";
import { lanesFor } from "../vector-lanes.ts";
import type { RuleContext, SpaceRule } from "./space-rule.ts";

/** An axis that choices are made by: its value, or its remainder by `modulus`. */
interface ChoiceAxis {
  readonly name: string;
  readonly modulus: number | null;
}

/** More alternatives than these along one axis are not unrolled. */
const mostAlternatives = 8;

export const unrollChoices: SpaceRule = {
  name: "unroll-choices",

  applies: (stage) => stage.reduce.length === 0 && choicesOf(stage).length > 0,

  apply(draft, stage, context) {
    const vector = stage.spatial.at(-1)!;
    const lanes = isContiguous(stage, vector.name) ? lanesFor(stage, vector.extent, context.task.target) : 1;
    const loops = loopsOf(stage, lanes);
    const split = splitLoops(estimate(draft, mapEstimate(stage, context.task, lanes)), stage, lanes);
    const ordered = instruct(split, { kind: "reorder", loops: Object.values(loops).flat() });
    const row = loops.outer.at(-2) ?? loops.outer.at(-1);
    const placed = row
      ? producersOf(stage, context).reduce((result, it) => placeRows(result, it, row, context), ordered)
      : ordered;
    return [
      instruct(
        placed,
        ...loops.lanes.map((loop) => ({ kind: "vectorize", loop }) as const),
        ...loops.choices.map((loop) => ({ kind: "unroll", loop }) as const),
      ),
    ];
  },
};

/** The axes that are compared in conditions, where these are about nothing else. The last one is for vectors. */
function choicesOf({ block, spatial }: SchedulableStage): readonly ChoiceAxis[] {
  const found = new Map<string, ChoiceAxis>();
  walkExpr(block.value, (node) => {
    const choice = node.kind === "select" ? choiceOf(node.condition) : null;
    const axis = spatial.slice(0, -1).find(({ name }) => name === choice?.name);
    const count = choice?.modulus ?? axis?.extent ?? 0;
    if (choice && axis && count <= mostAlternatives) found.set(axis.name, choice);
  });
  return [...found.values()];
}

/** `axis == 1` or `axis mod 2 == 1` */
function choiceOf(condition: Expr): ChoiceAxis | null {
  if (condition.kind !== "binary" || condition.op !== "eq" || condition.right.kind !== "const") return null;
  const { left } = condition;
  if (left.kind === "var") return { name: left.name, modulus: null };
  if (left.kind !== "binary" || left.op !== "mod" || left.left.kind !== "var" || left.right.kind !== "const")
    return null;
  return { name: left.left.name, modulus: left.right.value };
}

interface Loops {
  readonly outer: readonly string[];
  readonly columns: readonly string[];
  readonly choices: readonly string[];
  readonly lanes: readonly string[];
}

/** In their order from the outside in. */
function loopsOf(stage: SchedulableStage, lanes: number): Loops {
  const choices = new Map(choicesOf(stage).map((it) => [it.name, it]));
  const loop = (name: string): string => loopName(stage.name, name);
  const rows = stage.spatial.slice(0, -1).map(({ name }) => ({ name, choice: choices.get(name) }));
  const last = loop(stage.spatial.at(-1)!.name);
  return {
    outer: rows.flatMap(({ name, choice }) => (!choice ? [loop(name)] : choice.modulus ? [`${loop(name)}.0`] : [])),
    columns: [lanes > 1 ? `${last}.0` : last],
    choices: rows.flatMap(({ name, choice }) => (!choice ? [] : [choice.modulus ? `${loop(name)}.1` : loop(name)])),
    lanes: lanes > 1 ? [`${last}.1`] : [],
  };
}

function splitLoops(draft: Draft, stage: SchedulableStage, lanes: number): Draft {
  const parts = choicesOf(stage).flatMap(({ name, modulus }) => (modulus ? [{ name, size: modulus }] : []));
  const vectors = lanes > 1 ? [{ name: stage.spatial.at(-1)!.name, size: lanes }] : [];
  return [...parts, ...vectors].reduce(
    (result, { name, size }) =>
      instruct(result, { kind: "split", loop: loopName(stage.name, name), factors: [0, size], tail: "cut" }),
    draft,
  );
}

/** Whether all reads go along the axis element by element, or do not depend on it. */
function isContiguous({ block }: SchedulableStage, axis: string): boolean {
  const names = (index: Expr): boolean => someExpr(index, (node) => node.kind === "var" && node.name === axis);
  return !someExpr(block.value, (node) => {
    if (node.kind !== "load") return false;
    const last = toAffine(node.indices.at(-1)!).terms.filter(({ atom }) => names(atom));
    return (
      node.indices.slice(0, -1).some(names) ||
      last.some(({ atom, coefficient }) => atom.kind !== "var" || coefficient !== 1)
    );
  });
}

/** Maps that nobody else reads and that would not be inlined: their rows are made where they are read. */
const producersOf = (stage: SchedulableStage, { stages }: RuleContext): readonly SchedulableStage[] =>
  stages.filter((it) => {
    const isOwn = it.readers.length === 1 && it.readers[0] === stage.name && !it.isOutput;
    const reads = stage.reads.filter(({ buffer }) => buffer === it.name);
    return isOwn && it.reduce.length === 0 && it.spatial.length > 0 && reads.every(({ dims }) => !dims.includes(null));
  });

/** Puts a producer under a loop of its reader, its own last axis in vectors. */
function placeRows(draft: Draft, producer: SchedulableStage, row: string, { task }: RuleContext): Draft {
  const axis = producer.spatial.at(-1)!;
  const lanes = isContiguous(producer, axis.name) ? lanesFor(producer, axis.extent, task.target) : 1;
  const estimated = estimate(fuse(draft, producer.name), mapEstimate(producer, task, lanes));
  const placed = instruct(estimated, { kind: "compute-at", block: producer.name, loop: row });
  const loop = loopName(producer.name, axis.name);
  if (lanes === 1) return placed;
  return instruct(
    placed,
    { kind: "split", loop, factors: [0, lanes], tail: "cut" },
    { kind: "vectorize", loop: `${loop}.1` },
  );
}
