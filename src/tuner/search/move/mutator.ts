// The mutators of evolutionary search: one small change each, of one kind of decision; the solver keeps it valid.
// Point → point, or null where nothing of the kind can change.

import type { Rng } from "../../support/rng.ts";
import { drawPoint, type Mutator, type Point, type SearchSpace, type SearchTemplate } from "../point/search-space.ts";
import { type TunableKind, tunableKinds, tunablesByKind } from "../point/tunable-kind.ts";
import { keyDomain, move } from "./mutate.ts";

/**
 * Probability of each kind of mutator, MetaSchedule's for CPUs (`Mutator::DefaultLLVM` of TVM: MutateTileSize 0.90,
 * MutateComputeLocation 0.05, MutateUnroll 0.03). Its MutateParallel, 0.02, has no counterpart: how many tasks there are
 * follows from our tiles. Templates without decisions of a kind try the others in proportion.
 */
export const mutatorWeights: Readonly<Record<TunableKind, number>> = { "tile-size": 0.9, choice: 0.05, unroll: 0.03 };

/** Changes a random decision of a random kind. */
export function mutateByKind(
  space: SearchSpace,
  point: Point,
  tunables: Readonly<Record<TunableKind, readonly string[]>>,
  rng: Rng,
): Point | null {
  const kind = pickKind(tunables, rng);
  if (kind === null) return null;
  const name = rng.pick(tunables[kind]);
  return (
    (kind === "tile-size" ? shiftFactor(space, point, name, tunables[kind], rng) : null) ??
    otherValue(space, point, name, rng)
  );
}

function pickKind(tunables: Readonly<Record<TunableKind, readonly string[]>>, rng: Rng): TunableKind | null {
  const kinds = tunableKinds.filter((kind) => tunables[kind].length > 0);
  let left = rng.unit() * kinds.reduce((sum, kind) => sum + mutatorWeights[kind], 0);
  const at = kinds.findIndex((kind) => {
    left -= mutatorWeights[kind];
    return left < 0;
  });
  return kinds[at] ?? kinds.at(-1) ?? null;
}

/** Moves a random divisor from one tile to another that a constraint ties to it (MutateTileSize). */
function shiftFactor(space: SearchSpace, point: Point, from: string, tiles: readonly string[], rng: Rng): Point | null {
  const partners = (point.template.related.get(from) ?? []).filter((name) => tiles.includes(name));
  const divisors = divisorsOf(point.assignment[from]!);
  if (partners.length === 0 || divisors.length === 0) return null;
  const [to, factor] = [rng.pick(partners), rng.pick(divisors)];
  const shifted = {
    ...point.candidate.assignment,
    [from]: point.assignment[from]! / factor,
    [to]: point.assignment[to]! * factor,
  };
  const restrictions = Object.fromEntries(Object.entries(shifted).map(([name, value]) => [name, [value]]));
  return drawPoint(space, point.template, rng, { restrictions });
}

/** Returns the divisors of a number, without 1. */
const divisorsOf = (value: number): number[] =>
  Array.from({ length: Math.max(0, value - 1) }, (_, k) => k + 2).filter((divisor) => value % divisor === 0);

function otherValue(space: SearchSpace, point: Point, name: string, rng: Rng): Point | null {
  const others = keyDomain(point, name).filter((value) => value !== point.assignment[name]);
  return others.length > 0 ? move(space, point, name, others, rng) : null;
}

/** Maps each template to its tunables by kind, looked up once. */
export function kindsOfTemplates(
  templates: readonly SearchTemplate[],
): ReadonlyMap<SearchTemplate, Readonly<Record<TunableKind, readonly string[]>>> {
  return new Map(templates.map((one) => [one, tunablesByKind(one.template)]));
}

/** Our mutators as objects, one a kind of decision, to be listed beside a user's. */
export const mutators: readonly Mutator[] = tunableKinds.map((kind) => ({
  name: kind,
  weight: mutatorWeights[kind],
  mutate(space, point, rng) {
    const only = { "tile-size": [], choice: [], unroll: [], [kind]: tunablesByKind(point.template.template)[kind] };
    return mutateByKind(space, point, only, rng);
  },
}));
