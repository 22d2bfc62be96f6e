// The decisions of a sum in tiles of threads, and what follows from them.
//
//   rows      i → i.0 groups, i.1 threads, i.2 rows of a thread
//   columns   j → j.0 groups, j.1 vectors of a thread, j.2 threads, j.3 lanes: neighbours have neighbouring vectors
//   depth     k → k.0 steps, k.1 rounds, k.2 written out

import { type Operand, wordElements } from "../../../compiler/index.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import { constrain, type Draft, derived, product, sortedUnique, tilesOf, tunable, valuesOf } from "../draft/draft.ts";
import type { SumAxis, TiledAxis, TiledSum } from "./sum-axes.ts";

/** Threads of a group along an axis, and rows or vectors of each; elements of a vector. */
export const threadsOf = ({ loop }: SumAxis): string => `${loop}.threads`;
export const registerOf = ({ loop }: SumAxis): string => `${loop}.register`;
export const lanesOf = ({ loop }: SumAxis): string => `${loop}.lanes`;
/** Elements of a group along an axis, and groups along it. */
export const tileOf = ({ loop }: SumAxis): string => `${loop}.tile`;
export const groupsOf = ({ loop }: SumAxis): string => `${loop}.groups`;
/** Elements, or words, of the depth that are written out, rounds of those in a step, elements or words of a step, its elements, and steps. */
export const unrollOf = ({ loop }: SumAxis): string => `${loop}.unroll`;
export const roundsOf = ({ loop }: SumAxis): string => `${loop}.rounds`;
export const stepOf = ({ loop }: SumAxis): string => `${loop}.step`;
export const stepElementsOf = ({ depth, dot }: Pick<TiledSum, "depth" | "dot">): string =>
  dot ? `${depth.loop}.step-elements` : stepOf(depth);
export const stepsOf = ({ loop }: SumAxis): string => `${loop}.steps`;
/** Slices of the depth that threads add up beside each other. */
export const slicesOf = ({ loop }: SumAxis): string => `${loop}.slices`;

export const isColumns = (axis: TiledAxis, { columns }: TiledSum): boolean => axis === columns;

export const named = (name: string): Operand => ({ tunable: name });

/** The least power of two that is not less: no group reaches further. */
export const powerFrom = (value: number): number => 2 ** Math.ceil(Math.log2(value));

/** Adds the decisions of all tiled axes. */
export const addTiles = (draft: Draft, sum: TiledSum): Draft =>
  sum.tiled.reduce((result, axis) => addTile(result, axis), draft);

function addTile(draft: Draft, axis: TiledAxis): Draft {
  const { name, extent } = axis;
  const most = powerFrom(extent);
  const upTo = (values: readonly number[]): readonly number[] => values.filter((value) => value <= most);
  const sized = [
    [threadsOf(axis), upTo(threadSizes.threads)] as const,
    [registerOf(axis), upTo(threadSizes.registers)] as const,
    [lanesOf(axis), axis.lanes] as const,
  ].reduce((result, [variable, values]) => tunable(result, variable, values), draft);
  const parts = [threadsOf(axis), registerOf(axis), lanesOf(axis)];
  const tiled = product(sized, tileOf(axis), parts, `elements of ${name} in a group of threads`);
  const fitting = constrain(tiled, {
    kind: "one-of",
    variable: tileOf(axis),
    values: upTo(valuesOf(tiled, tileOf(axis))),
    why: `a group of threads is not twice as long as the ${extent} of ${name}`,
    role: "limit",
  });
  return tilesOf(fitting, groupsOf(axis), extent, tileOf(axis), `groups of threads along ${name}`);
}

/** Adds the decisions of the depth: what is written out divides it, unless nothing but 1 does. */
export function addUnroll(draft: Draft, { depth }: TiledSum): Draft {
  const unrolls = threadSizes.unrolls.filter((value) => depth.extent % value === 0);
  return tunable(draft, unrollOf(depth), unrolls.length > 1 ? unrolls : oddUnrolls(depth));
}

/** Numbers that an odd depth is written out by: its own small divisors, and those that leave a rest. */
function oddUnrolls({ extent }: SumAxis): readonly number[] {
  const [, , , most] = threadSizes.unrolls;
  const divisors = Array.from({ length: most }, (_, at) => at + 1).filter((value) => extent % value === 0);
  return sortedUnique(divisors);
}

const mostStepOf = ({ extent }: SumAxis): number => Math.min(threadSizes.mostStep, powerFrom(extent));

/** Elements of a step, of some rounds of those that are written out. */
function stepSizes(depth: SumAxis): readonly number[] {
  const { rounds, leastStep, unrolls } = threadSizes;
  const most = mostStepOf(depth);
  return sortedUnique(unrolls.flatMap((value) => rounds.map((times) => times * value))).filter(
    (size) => size <= most && size >= Math.min(leastStep, most),
  );
}

/** Elements of steps that divide the depth. None: a depth in parts cannot be walked in steps, as no part reaches into the next. */
export const wholeSteps = (depth: SumAxis): readonly number[] =>
  stepSizes(depth).filter((size) => depth.extent % size === 0);

/** Adds steps of the depth, of some rounds each. Steps divide the depth where any do. */
export function addSteps(draft: Draft, { depth, dot }: TiledSum): Draft {
  const { rounds } = threadSizes;
  const most = mostStepOf(depth);
  const unrolls = threadSizes.unrolls.filter((value) => value <= most);
  const [sizes, whole] = [stepSizes(depth), wholeSteps(depth)];
  const decided = tunable(tunable(draft, unrollOf(depth), unrolls), stepOf(depth), whole.length > 0 ? whole : sizes);
  const stepped = constrain(derived(decided, roundsOf(depth), rounds), {
    kind: "product",
    result: stepOf(depth),
    factors: [unrollOf(depth), roundsOf(depth)],
    why: `elements of ${depth.name} in a step`,
    role: "definition",
  });
  const why = `elements of ${depth.name} in the words of a step`;
  const counted = dot ? product(stepped, stepElementsOf({ depth, dot }), [stepOf(depth), wordElements], why) : stepped;
  return tilesOf(counted, stepsOf(depth), depth.extent, stepOf(depth), `steps of ${depth.name}`);
}
