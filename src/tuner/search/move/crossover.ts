// Constraint-based crossover (Heron, ASPLOS 2023, Algorithm 3): a child is a solution of the space with
// v ∈ {parent 1's v, parent 2's v} added for each key variable but one, whose constraint is dropped: the mutation.

import type { Rng } from "../../support/rng.ts";
import { drawPoint, type Point, type SearchSpace } from "../point/search-space.ts";

/** Draws a child. `variables`: key variables that it inherits. The parents are of one template. Null: the solver gave up. */
export function crossover(
  space: SearchSpace,
  mother: Point,
  father: Point,
  variables: readonly string[],
  rng: Rng,
): Point | null {
  const dropped = variables.length > 0 ? rng.below(variables.length) : -1;
  const inherited = variables.filter((_, k) => k !== dropped);
  const restrictions = Object.fromEntries(
    inherited.map((name) => [name, [mother.assignment[name]!, father.assignment[name]!]]),
  );
  return drawPoint(space, mother.template, rng, { restrictions });
}
