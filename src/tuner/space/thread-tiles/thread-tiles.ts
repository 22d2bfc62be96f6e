// Rule `thread-tiles`: sums of several axes, such as products, convolutions and pools. A group of threads computes a box of the result,
// each thread a tile of sums in registers; a map that finishes the sums is computed on their way to memory.
//
//   for b, i.0, j.0 fused: blockIdx.x
//     for i.1: threadIdx.y, j.2: threadIdx.x      threads
//       for k.0, k.1
//         for i.2, j.1, lanes of j.3              tile of a thread
//
// Operands are read where they lie, or copied to the memory of the group step by step: two templates.

import type { AcceleratorTarget, Instruction, Operand } from "../../../compiler/index.ts";
import { compileModel } from "../../constraint/solver/compile.ts";
import { sample } from "../../constraint/solver/sample.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { createRng } from "../../support/rng.ts";
import { type Draft, decide, emptyDraft, estimate, instruct } from "../draft/draft.ts";
import { dependsOn, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";
import { finishedSum, joined } from "../fusion/sum-of-a-map.ts";
import {
  addParts,
  addUpParts,
  cutParts,
  depthOfPart,
  mostParts,
  type Parts,
  partsEstimate,
  partsOf,
  stageOfParts,
} from "../parts/parts.ts";
import { byteDotOf, inWords } from "./byte-dots.ts";
import { copiedSum } from "./copied-sum.ts";
import { addCopies, type CopiedOperand, copiedOperands } from "./copies.ts";
import { directSum } from "./direct-sum.ts";
import { limitGroups } from "./limits.ts";
import { addSlices, isSliceable, slicedSum, sliceFactors } from "./sliced-sum.ts";
import { isInAnyOrder, type SumAxis, type TiledSum, tiledSum } from "./sum-axes.ts";
import { sumEstimate } from "./sum-estimate.ts";
import { addSteps, addTiles, addUnroll, wholeSteps } from "./tile-choices.ts";

type Context = RuleContext<AcceleratorTarget>;

export const threadTiles: SpaceRule<AcceleratorTarget> = {
  name: "thread-tiles",

  applies: (stage, context) => tiledSum(finishedSum(stage, context)?.sums ?? stage, context.task) !== null,

  apply(draft, stage, context) {
    const finished = finishedSum(stage, context);
    const tiles = tiledSum(finished?.sums ?? stage, context.task)!;
    const { op, target } = context.task;
    const reader = finished ? stage : null;
    const shapes = new Map<string, readonly number[]>([
      ...op.inputs.map(({ name, shape }) => [name, shape] as const),
      ...context.stages.map(({ name, spatial }) => [name, spatial.map(({ extent }) => extent)] as const),
    ]);
    const operands = copiedOperands(tiles, shapes);
    const site: Site = {
      draft: finished ? joined(draft, finished) : draft,
      tiles,
      reader,
      title: reader ? `${reader.name} with ${tiles.stage.name}` : tiles.stage.name,
      target,
    };
    const words = inDots(site, context);
    const inGroup = words ? copiedOperands(words.tiles, shapes) : [];
    return [
      ...waysOf(site, operands, context),
      ...waysInParts(site, shapes, context),
      ...(words ? waysOf(words, inGroup.length === tiles.stage.reads.length ? inGroup : [], context) : []),
    ];
  },
};

const waysOf = (site: Site, operands: readonly CopiedOperand[], context: Context): readonly Draft[] => [
  direct(site),
  ...(canCopy(site, operands) ? [copied(site, operands)] : []),
  ...(isSliceable(site.tiles) && isInAnyOrder(site.tiles.stage, context.task) ? [sliced(site)] : []),
];

/** Ways of a sum whose depth is shared by groups. */
function waysInParts(site: Site, shapes: ReadonlyMap<string, readonly number[]>, context: Context): readonly Draft[] {
  if (!isInAnyOrder(site.tiles.stage, context.task)) return [];
  return [...waysInWholeParts(site, shapes), ...slicedInParts(site)];
}

/** Returns the ways whose parts divide the depth: operands are read where they lie, or copied to the memory of the group. */
function waysInWholeParts(site: Site, shapes: ReadonlyMap<string, readonly number[]>): readonly Draft[] {
  const { tiles } = site;
  const parts = partsOf(tiles, threadSizes.parts, 1);
  if (!parts) return [];
  const sums = inParts(site, parts, depthOfPart(tiles.depth, parts), cutParts(tiles, parts));
  const operands = copiedOperands(sums.tiles, shapes);
  const ways = [direct(sums), ...(canCopy(sums, operands) ? [copied(sums, operands)] : [])];
  return ways.map((way) => addedUp(way, site, parts));
}

/** Returns the way whose threads share each part of the depth too. Nothing has to divide the depth: the last parts may have less. */
function slicedInParts(site: Site): readonly Draft[] {
  const { tiles } = site;
  const parts = partsOf(tiles, threadSizes.slicedParts, null);
  if (!parts) return [];
  const depth = { ...tiles.depth, extent: Math.ceil(tiles.depth.extent / mostParts(parts)) };
  const sums = inParts(site, parts, depth, cutParts(tiles, parts, sliceFactors(depth)));
  return isSliceable(sums.tiles) ? [addedUp(sliced(sums), site, parts)] : [];
}

/** Returns the site of the sums of all parts, which a second launch adds up. */
function inParts(site: Site, parts: Parts, depth: SumAxis, cut: readonly Instruction<Operand>[]): Site {
  const { draft, tiles, title, target } = site;
  return {
    draft: instruct(addParts(draft, tiles.stage, parts, target), ...cut),
    tiles: { ...tiles, stage: stageOfParts(tiles.stage), depth, parts },
    reader: null,
    title: `${title} in parts of ${depth.name}`,
    target,
  };
}

/** Adds the second launch. */
function addedUp(way: Draft, { tiles, reader, target }: Site, parts: Parts): Draft {
  const timed = estimate(way, partsEstimate(tiles.stage, parts, reader, target));
  return instruct(timed, ...addUpParts(tiles.stage, parts, reader?.name ?? null));
}

/** The sum by an instruction for words of bytes. Null: there is none for it. */
function inDots(site: Site, context: Context): Site | null {
  const { tiles, title } = site;
  const dot = byteDotOf(tiles.stage, tiles.depth.name, context);
  return dot && { ...site, tiles: inWords(tiles, dot), title: `${title}, dots of bytes,` };
}

/** Ways of a product with a vector, whose threads load the vector once for several rows. None: rows read nothing alike. */
export function slicedRows(draft: Draft, stage: SchedulableStage, context: Context): readonly Draft[] {
  const { task } = context;
  const tiles = tiledSum(stage, task);
  const isFit = tiles && isSliceable(tiles) && isInAnyOrder(stage, task);
  if (!isFit || stage.reads.every((read) => dependsOn(read, tiles.columns.name))) return [];
  const site = { draft, tiles, reader: null, title: stage.name, target: task.target };
  const words = inDots(site, context);
  return [sliced(site), ...(words ? [sliced(words)] : [])];
}

interface Site {
  readonly draft: Draft;
  readonly tiles: TiledSum;
  /** The map that finishes the sums; null: none does. */
  readonly reader: SchedulableStage | null;
  /** Title of the computation, which the template's name begins with. */
  readonly title: string;
  readonly target: AcceleratorTarget;
}

function direct({ draft, tiles, reader, title, target }: Site): Draft {
  const tiled = addUnroll(addTiles(decide(draft, `${title} in tiles of threads`), tiles), tiles);
  const limited = limitGroups(tiled, tiles, target, "direct");
  const timed = estimate(limited, sumEstimate(tiles, reader, [], target));
  return instruct(timed, ...directSum(tiles, reader?.name ?? null));
}

const withCopies = (
  draft: Draft,
  { tiles }: Site,
  operands: readonly CopiedOperand[],
  target: AcceleratorTarget,
): Draft =>
  addCopies(
    limitGroups(addSteps(addTiles(draft, tiles), tiles), tiles, target, "copied"),
    tiles,
    operands,
    target.limits.groupBytes ?? 0,
  );

/** Says whether threads can copy the operands at all, in a memory of any size: far apart, a few elements take many copies. */
function canCopy(site: Site, operands: readonly CopiedOperand[]): boolean {
  if (site.tiles.parts && wholeSteps(site.tiles.depth).length === 0) return false;
  if (operands.length === 0 || operands.every(({ access }) => isPlain(access))) return operands.length > 0;
  const limits = { ...site.target.limits, groupBytes: Number.MAX_SAFE_INTEGER };
  const begun = site.tiles.parts ? site.draft : emptyDraft;
  const { variables, constraints } = withCopies(begun, site, operands, { ...site.target, limits });
  return sample(compileModel({ variables, constraints }), createRng(1)).kind === "found";
}

function copied(site: Site, operands: readonly CopiedOperand[]): Draft {
  const { draft, tiles, reader, title, target } = site;
  const named = decide(draft, `${title} in tiles of threads, operands in their group`);
  const kept = withCopies(named, site, operands, target);
  const timed = estimate(kept, sumEstimate(tiles, reader, operands, target));
  return instruct(timed, ...copiedSum(tiles, operands, reader?.name ?? null));
}

function sliced({ draft, tiles, reader, title, target }: Site): Draft {
  const named = decide(draft, `${title} in tiles of threads, ${tiles.depth.name} in slices`);
  const tiled = addSlices(addTiles(named, tiles), tiles, target.limits.groupBytes ?? 0);
  const limited = limitGroups(tiled, tiles, target, "sliced");
  const timed = estimate(limited, sumEstimate(tiles, reader, [], target));
  return instruct(timed, ...slicedSum(tiles, reader?.name ?? null));
}
