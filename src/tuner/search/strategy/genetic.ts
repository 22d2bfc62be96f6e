// Strategy `genetic`: a plain genetic algorithm on the vector of decisions, for comparison with `cga`. Its children
// know nothing of the constraints: those that violate one are thrown away, and in tight spaces most do.

import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import { evolve, pickParent, quickEvolution, type ScoredPoint } from "../move/evolve.ts";
import { selectBatch } from "../move/select.ts";
import { findPoint, type Point } from "../point/search-space.ts";
import type { SearchState } from "../state/search-state.ts";
import type { Strategy } from "./strategy.ts";

/**
 * Breeds by one-point crossover, as Heron's baseline does (ASPLOS 2023, `GA`), and mutates single genes, as AutoTVM's GATuner
 * does. The solver draws the first generation, as in Heron.
 */
export const genetic: Strategy = {
  name: "genetic",
  propose: (state, count, rng) => selectBatch(breedUnconstrained(state, rng).points, count, rng),
};

export const geneticParameters = {
  size: quickEvolution,
  /** Probability that a gene takes a random other value. */
  mutationProbability: 0.1,
} as const;

export interface UnconstrainedOffspring {
  /** Valid and unmeasured points, the highest predicted score first. */
  readonly points: readonly ScoredPoint[];
  readonly bred: number;
  /** Number of bred children that violated a constraint. */
  readonly rejected: number;
}

export function breedUnconstrained(state: SearchState, rng: Rng): UnconstrainedOffspring {
  let [bred, rejected] = [0, 0];
  const points = evolve(
    state,
    geneticParameters.size,
    (population) => {
      const point = findPoint(state.space, unconstrainedChild(population, rng));
      bred++;
      if (!point) rejected++;
      return point;
    },
    rng,
  );
  return { points, bred, rejected };
}

/**
 * Takes the first decisions of one parent and the others of another of the same template, some of them changed at random.
 */
function unconstrainedChild(population: readonly Point[], rng: Rng): Candidate {
  const mother = pickParent(population, rng);
  const { template } = mother.template;
  const partners = population.filter((point) => point.template === mother.template);
  const father = pickParent(partners, rng);
  const keys = template.model.variables.filter(({ key }) => key);
  const cut = rng.below(keys.length + 1);
  const genes = keys.map(({ name, domain }, k): [string, number] => {
    const inherited = (k < cut ? mother : father).assignment[name]!;
    const mutates = rng.unit() < geneticParameters.mutationProbability;
    return [name, mutates ? otherValue(domain as readonly number[], inherited, rng) : inherited];
  });
  return { template: template.name, assignment: Object.fromEntries(genes) };
}

function otherValue(domain: readonly number[], value: number, rng: Rng): number {
  const others = domain.filter((other) => other !== value);
  return others.length > 0 ? rng.pick(others) : value;
}
