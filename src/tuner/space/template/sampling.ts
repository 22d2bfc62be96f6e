// The sampling primitives: each adds a decision to a draft, tunables with the constraints that make all of their values
// good ones, and gives what instructions take. After MetaSchedule's (Shao et al., NeurIPS 2022) and AutoTVM's knobs; no
// value is drawn here, and there are no probabilities: the sampler draws from all constraints of a space at once.

import { isRange } from "../../constraint/normal-form.ts";
import { constrain, type Draft, derived, product, sortedUnique, tunable, valuesOf } from "../draft/draft.ts";
import { mistake } from "./author-mistake.ts";
import { requireName } from "./names.ts";
import { domainOf, hasVariable, type Quantity, type Sampled, termOf } from "./quantity.ts";

/** Tuple of as many operands as parts, where the type tells their number. */
export type TileOf<Parts extends number, Known extends readonly Sampled[] = readonly []> = number extends Parts
  ? readonly Sampled[]
  : Known["length"] extends Parts
    ? Known
    : TileOf<Parts, readonly [...Known, Sampled]>;

export interface TileOptions<Parts extends number = number> {
  /** Number of loops that the loop becomes; the innermost is the last. */
  readonly parts: Parts;
  /** Most iterations of the innermost loop; default: 16. */
  readonly maxInnermost?: number;
  /** Name of the decision; default: `C.i.tile` for the loop C.i. */
  readonly name?: string;
}

export interface PartitionedTileOptions<Parts extends number = number> extends TileOptions<Parts> {
  /** Index of the first inner part, counted from 0. */
  readonly partition: number;
  /** Number of which the product of the inner parts is a multiple. */
  readonly innerMultiple: number;
}

/** The draft with the decision, the author's result, and values of its variables where the decision is not used. */
export type Sampling<Result> = readonly [Draft, Result, idle: Readonly<Record<string, number>>];

/** Adds factors whose product is the extent. */
export function perfectTile<Parts extends number>(
  draft: Draft,
  loop: string,
  extent: Quantity,
  { parts, maxInnermost = 16, name = `${loop}.tile` }: TileOptions<Parts>,
): Sampling<TileOf<Parts>> {
  requireCount("parts", parts);
  requireCount("maxInnermost", maxInnermost);
  const [known, whole] = termOf(draft, extent);
  const divisors = divisorsIn(known, whole);
  const names = Array.from({ length: parts }, (_, at) => `${name}.${at}`);
  const tunables = names.reduce((result, each, at) => {
    const isInnermost = at === parts - 1;
    return newTunable(result, each, isInnermost ? divisors.filter((it) => it <= maxInnermost) : divisors);
  }, known);
  const tiled = constrain(tunables, {
    kind: "product",
    result: whole,
    factors: names,
    why: `the parts of ${loop} make all of its iterations`,
    role: "limit",
  });
  // One operand a part.
  const operands = names.map((each): Sampled => ({ tunable: each })) as unknown as TileOf<Parts>;
  return [tiled, operands, typeof extent === "number" ? idleTile(names, extent) : {}];
}

/** Values of a tile that is not used: all iterations in the outermost loop. */
const idleTile = (names: readonly string[], extent: number): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name, at) => [name, at === 0 ? extent : 1]));

/**
 * Adds factors as `perfectTile` does; the inner ones together are a multiple of a number: a tile that an instruction
 * computes.
 */
export function partitionedTile<Parts extends number>(
  draft: Draft,
  loop: string,
  extent: Quantity,
  options: PartitionedTileOptions<Parts>,
): Sampling<TileOf<Parts>> {
  const { parts, partition, innerMultiple, name = `${loop}.tile` } = options;
  requireCount("innerMultiple", innerMultiple);
  if (!Number.isInteger(partition) || partition < 0 || partition >= parts)
    throw mistake("template.bad-tile", `partition ${partition} is no place among ${parts} parts`);
  const [tiled, factors] = perfectTile(draft, loop, extent, options);
  const inner = `${name}.inner`;
  const names: readonly Sampled[] = factors;
  const innerFactors = names.slice(partition).map((factor) => factor.tunable);
  const why = `iterations of the inner parts of ${loop}`;
  const counted = product(tiled, inner, innerFactors, why);
  const counts = valuesIn(counted, inner).filter((value) => value % innerMultiple === 0);
  const multiple = constrain(
    derived(counted, `${inner}.multiple`, sortedUnique(counts.map((it) => it / innerMultiple))),
    {
      kind: "product",
      result: inner,
      factors: [`${inner}.multiple`, innerMultiple],
      why: `the inner parts of ${loop} make a multiple of ${innerMultiple}`,
      role: "limit",
    },
  );
  return [multiple, factors, {}];
}

/** Adds a decision for one of the values. */
export const categorical = (draft: Draft, name: string, values: readonly number[]): Sampling<Sampled> => [
  newTunable(draft, name, checkedValues(name, values)),
  { tunable: name },
  { [name]: Math.min(...values) },
];

function checkedValues(name: string, values: readonly number[]): readonly number[] {
  const bad = values.find((value) => !Number.isSafeInteger(value) || value < 0);
  if (values.length > 0 && bad === undefined && new Set(values).size === values.length) return values;
  const shown = `[${values.join(", ")}]`;
  throw mistake("template.bad-values", `${name} has the values ${shown}, different integers from 0 on are wanted`);
}

function newTunable(draft: Draft, name: string, values: readonly number[]): Draft {
  requireNewDecision(draft, name);
  return tunable(draft, name, values);
}

export function requireNewDecision(draft: Draft, name: string): void {
  requireName(name);
  if (!hasVariable(draft, name)) return;
  throw mistake("template.twice", `there are two decisions ${name}`, "give one of them another name");
}

function requireCount(what: string, count: number): void {
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw mistake("template.bad-tile", `${what} is ${count}, an integer from 1 on is wanted`);
}

const divisorsIn = (draft: Draft, whole: string | number): readonly number[] =>
  sortedUnique(valuesIn(draft, whole).flatMap(divisorsOf));

function valuesIn(draft: Draft, term: string | number): readonly number[] {
  const domain = domainOf(draft, term);
  if (!isRange(domain)) return valuesOf(draft, term);
  return Array.from({ length: domain.to - domain.from + 1 }, (_, at) => domain.from + at);
}

const divisorsOf = (value: number): number[] =>
  Array.from({ length: value }, (_, at) => at + 1).filter((divisor) => value % divisor === 0);
