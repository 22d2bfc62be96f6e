// Schedules an element-wise stage that chooses its value by small axes, as the transforms of Winograd's algorithm do. The loops
// over these axes go inside the vectorised one and are unrolled: every choice is made at compile time, and operands that
// the alternatives share are read once.
//
//   for a in 0..2, i, c: select(a == 0, X, Y)   →   for i, c.0: a = 0: X; a = 1: Y    c.1 in vectors
//   for y, c: select(y mod 2 == 0, X, Y)        →   for y.0, c.0: y.1 = 0: X; y.1 = 1: Y    c.1 in vectors
//
// A map that only this stage reads, as the padded image is, is computed row by row where it is read. The first pass of a
// transform, of which few elements are read at a time, is computed for each vector; axes that only the pass is chosen by
// are loops inside the vector's, not unrolled.

import { byteSize, type CpuTarget, type Expr, loopName, someExpr, toAffine } from "../../../compiler/index.ts";
import { choicesOf } from "../choice/choice-axes.ts";
import { choiceBody } from "../choice/choice-body.ts";
import { type ChoicePass, passesOf, withInlined } from "../choice/choice-pass.ts";
import {
  type Draft,
  decide,
  type Estimate,
  estimate,
  fuse,
  instruct,
  type Placement,
  place,
  splitWithTail,
} from "../draft/draft.ts";
import { repeated, shrunk } from "../draft/placement.ts";
import { coversDimension, type SchedulableStage, sizedBy } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import { type MapBody, mapEstimate } from "../estimate/map-estimate.ts";
import { conflictBytes } from "../estimate/plane-conflicts.ts";
import { type RowBlock, rowBlockOf } from "../fusion/row-block.ts";

export const unrollChoices: SpaceRule = {
  name: "unroll-choices",

  applies: (stage) => stage.reduce.length === 0 && choicesOf(stage).length > 0,

  apply(draft, written, context) {
    const passes = passesOf(written, context.stages);
    const stages = withInlined(context.stages, written, passes);
    const stage = stages.find(({ name }) => name === written.name)!;
    const own = new Set(choicesOf(written).map(({ name }) => name));
    const around: PassContext = { ...context, stages, passes, own };
    const whole = scheduled(draft, stage, around, null);
    const block = blockOf(stage, around);
    return block ? [whole, scheduled(decide(draft, `${stage.name} by rows`), stage, around, block)] : [whole];
  },
};

/** Context with all stages as though passes were inlined into the one that is scheduled. */
interface PassContext extends RuleContext {
  readonly passes: readonly ChoicePass[];
  /** Axes by which the stage itself chooses, without its passes. */
  readonly own: ReadonlySet<string>;
}

function scheduled(draft: Draft, stage: SchedulableStage, context: PassContext, block: ModuloBlock | null): Draft {
  const vector = stage.spatial.at(-1)!;
  const lanes = isContiguous(stage, vector.name) ? lanesFor(stage, vector.extent, context.task.target) : 1;
  const loops = loopsOf(stage, lanes, block, context.own);
  const body = choiceBody(stage, choicesOf(stage));
  const costs = block
    ? repeated(mapEstimate(shrunk(stage, ownPart(stage, block)), context.task, { lanes, body }), block.placed[0]!.times)
    : scattered(mapEstimate(stage, context.task, { lanes, body }), stage, body, lanes, context.task.target);
  const split = splitLoops(estimate(draft, costs), stage, lanes, block);
  const ordered = instruct(split, { kind: "reorder", loops: Object.values(loops).flat() });
  const passed = context.passes.reduce((result, it) => placePass(result, it, loops.columns[0], lanes), ordered);
  const blocked = block ? placeBlock(passed, stage, block) : passed;
  const row = loops.outer.at(-2) ?? loops.outer.at(-1);
  const reader = row ? insideOf(stage, loops.outer.slice(0, loops.outer.indexOf(row) + 1)) : stage;
  const placed = row
    ? producersOf(stage, context).reduce((result, it) => placeRows(result, it, reader, row, context), blocked)
    : blocked;
  return instruct(
    placed,
    ...loops.lanes.map((loop) => ({ kind: "vectorize", loop }) as const),
    ...loops.choices.map((loop) => ({ kind: "unroll", loop }) as const),
  );
}

/** Places a pass under the loop over vectors, to compute all that one vector needs; its choices are unrolled. */
function placePass(draft: Draft, { stage, several, choices }: ChoicePass, loop: string, lanes: number): Draft {
  const loopAt = (axis: string): string => loopName(stage.name, axis);
  const last = loopAt(stage.spatial.at(-1)!.name);
  return instruct(
    fuse(draft, stage.name),
    { kind: "compute-at", block: stage.name, loop },
    { kind: "reorder", loops: [...several, ...choices].map(loopAt).concat(last) },
    ...(lanes > 1 ? [{ kind: "vectorize", loop: last } as const] : []),
    ...choices.map((axis) => ({ kind: "unroll", loop: loopAt(axis) }) as const),
  );
}

/** A block of rows of the first axis whose remainder the stage chooses by. */
interface ModuloBlock extends RowBlock {
  readonly axis: string;
  readonly modulus: number;
}

function blockOf(stage: SchedulableStage, context: RuleContext): ModuloBlock | null {
  const choice = choicesOf(stage).find(({ modulus }) => modulus !== null);
  if (!choice?.modulus) return null;
  const block = rowBlockOf(stage, choice.name, choice.modulus, context);
  return block && { ...block, axis: choice.name, modulus: choice.modulus };
}

/** Returns the part of the stage itself that one block computes: axes before the rows have extent 1 there. */
function ownPart({ spatial }: SchedulableStage, { axis, rows, modulus }: ModuloBlock): Pick<Placement, "extents"> {
  const at = spatial.findIndex(({ name }) => name === axis);
  return {
    extents: new Map([...spatial.slice(0, at).map(({ name }): [string, number] => [name, 1]), [axis, rows * modulus]]),
  };
}

/**
 * Adds the cost of planes. The alternatives are written to, or read from, as many planes at once; results beyond L2 are also
 * read first, line by line. Not used where a stage takes its operand a block of rows at a time: those planes are small and near.
 */
function scattered(
  streamed: Estimate,
  stage: SchedulableStage,
  { results, loads }: MapBody,
  lanes: number,
  target: CpuTarget,
): Estimate {
  const isWritten = choicesOf(stage).every(({ modulus }) => modulus === null);
  const count = isWritten ? results : Math.max(...loads.values());
  return (assignment) => {
    const facts = streamed(assignment);
    const elements = sizedBy(stage, assignment).spatial.reduce((product, { extent }) => product * extent, 1);
    const distance = (elements / results) * byteSize[stage.dtype];
    const conflicts = conflictBytes({ count, distance, lanes, isWritten }, target);
    const readFirst = isWritten && count * distance > target.l2Bytes ? count * distance : 0;
    return { ...facts, bytesFromL2: facts.bytesFromL2 + conflicts, bytesFromL3: facts.bytesFromL3 + readFirst };
  };
}

/** Places the block's stages under its loop. Rules for the placed stages come later, as for all others. */
const placeBlock = (draft: Draft, stage: SchedulableStage, { axis, placed }: ModuloBlock): Draft =>
  placed.reduce(
    (result, it) => instruct(result, { kind: "compute-at", block: it.stage, loop: `${loopName(stage.name, axis)}.0` }),
    place(draft, placed),
  );

/** Names of the loops, from the outside in. */
interface Loops {
  readonly outer: readonly string[];
  readonly columns: readonly [string];
  /** Loops over axes that only passes choose by. */
  readonly steps: readonly string[];
  readonly choices: readonly string[];
  readonly lanes: readonly string[];
}

function loopsOf(stage: SchedulableStage, lanes: number, block: ModuloBlock | null, own: ReadonlySet<string>): Loops {
  const choices = new Map(choicesOf(stage).map((it) => [it.name, it]));
  const rows = stage.spatial.slice(0, -1).map(({ name }) => {
    const loop = loopName(stage.name, name);
    const choice = choices.get(name);
    const inner = (chosen: string) => (own.has(name) ? { choices: [chosen] } : { steps: [chosen] });
    if (!choice) return { outer: [loop] };
    if (!choice.modulus) return { outer: [], ...inner(loop) };
    if (block?.axis === name) return { outer: [`${loop}.0`, `${loop}.1`], ...inner(`${loop}.2`) };
    return { outer: [`${loop}.0`], ...inner(`${loop}.1`) };
  });
  const last = loopName(stage.name, stage.spatial.at(-1)!.name);
  return {
    outer: rows.flatMap((it) => it.outer),
    columns: [lanes > 1 ? `${last}.0` : last],
    steps: rows.flatMap((it) => ("steps" in it ? it.steps : [])),
    choices: rows.flatMap((it) => ("choices" in it ? it.choices : [])),
    lanes: lanes > 1 ? [`${last}.1`] : [],
  };
}

/** Splits the loops. Cutting a block's loop would double much code, so it is guarded: rows beyond the end do not run. */
function splitLoops(draft: Draft, stage: SchedulableStage, lanes: number, block: ModuloBlock | null): Draft {
  const parts = choicesOf(stage).flatMap(({ name, modulus }) => (modulus ? [{ name, modulus }] : []));
  const cut = parts.reduce((result, { name, modulus }) => {
    const loop = loopName(stage.name, name);
    if (block?.axis !== name) return splitWithTail(result, loop, [0, modulus], "cut");
    return splitWithTail(result, loop, [0, block.rows, modulus], "guard");
  }, draft);
  return lanes > 1 ? splitWithTail(cut, loopName(stage.name, stage.spatial.at(-1)!.name), [0, lanes], "cut") : cut;
}

/** Says whether all reads move along the axis element by element, or do not depend on it. */
function isContiguous({ block }: SchedulableStage, axis: string): boolean {
  const names = (index: Expr): boolean => someExpr(index, (node) => node.kind === "var" && node.name === axis);
  return !someExpr(block.value, (node) => {
    if (node.kind !== "load") return false;
    const isStep = (index: Expr): boolean =>
      toAffine(index).terms.every(
        ({ atom, coefficient }) => !names(atom) || (atom.kind === "var" && coefficient === 1),
      );
    return node.indices.slice(0, -1).some(names) || !node.indices.slice(-1).every(isStep);
  });
}

/**
 * Returns maps that only this stage reads, at one place, and that would not be inlined: their rows are made where they are
 * read.
 */
const producersOf = (stage: SchedulableStage, { stages }: RuleContext): readonly SchedulableStage[] =>
  stages.filter((it) => {
    const isOwn = it.readers.length === 1 && it.readers[0] === stage.name && !it.isOutput;
    const [read, ...others] = stage.reads.filter(({ buffer }) => buffer === it.name);
    const isOnce = read && others.length === 0 && !read.dims.includes(null);
    return isOwn && isOnce && it.reduce.length === 0 && it.spatial.length > 0;
  });

/** Returns what one iteration of these loops computes of the stage: one element of their axes, or one step's choices. */
function insideOf(stage: SchedulableStage, around: readonly string[]): SchedulableStage {
  const moduli = new Map(choicesOf(stage).map(({ name, modulus }) => [name, modulus]));
  const isAround = (loop: string): boolean => around.includes(loop) || around.includes(`${loop}.0`);
  const outer = stage.spatial.filter(({ name }) => isAround(loopName(stage.name, name)));
  return shrunk(stage, { extents: new Map(outer.map(({ name }) => [name, moduli.get(name) ?? 1])) });
}

/** Returns the part of the producer that its reader, perhaps a part itself, reads. */
function partOf(producer: SchedulableStage, reader: SchedulableStage): SchedulableStage {
  const { dims } = reader.reads.find(({ buffer }) => buffer === producer.name)!;
  const steps = (at: number): number =>
    reader.spatial.reduce((sum, { name, extent }) => sum + (dims[at]?.get(name) ?? 0) * extent, 0);
  const read = producer.spatial.map(({ name, extent }, at): [string, number] => [name, Math.min(extent, steps(at))]);
  return shrunk(producer, { extents: new Map(read) });
}

/**
 * Puts a producer under a loop of its reader, its own last axis in vectors.
 *
 * @param stage the reader, as far as it is under that loop
 */
function placeRows(
  draft: Draft,
  producer: SchedulableStage,
  stage: SchedulableStage,
  row: string,
  { task }: RuleContext,
): Draft {
  const axis = producer.spatial.at(-1)!;
  const isAll = stage.reads.some(
    (read) => read.buffer === producer.name && coversDimension(read, producer.spatial.length - 1, axis.extent, stage),
  );
  const lanes = isAll && isContiguous(producer, axis.name) ? lanesFor(producer, axis.extent, task.target) : 1;
  const estimated = estimate(fuse(draft, producer.name), mapEstimate(partOf(producer, stage), task, { lanes }));
  const placed = instruct(estimated, { kind: "compute-at", block: producer.name, loop: row });
  const loop = loopName(producer.name, axis.name);
  if (lanes === 1) return placed;
  return instruct(
    placed,
    { kind: "split", loop, factors: [0, lanes], tail: "cut" },
    { kind: "vectorize", loop: `${loop}.1` },
  );
}
