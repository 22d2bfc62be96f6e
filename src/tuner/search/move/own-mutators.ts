// Mutators that a user brings, as plain objects, in place of those of the evolutionary strategies. Point → another point.

import { aFunction, amountIn, aName, badAnswer, callOwn, malformed, requireFields } from "../../../compiler/index.ts";
import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import { findPoint, type Mutator, type Point, type SearchSpace } from "../point/search-space.ts";

/** @throws DiagnosticError `extension.malformed`; later, when mutating, `extension.threw` and `extension.bad-answer` */
export function ownMutators(mutators: readonly Mutator[]): readonly Mutator[] {
  if (!Array.isArray(mutators) || mutators.length === 0) throw malformed("mutators is no list of at least one");
  return mutators.map((mutator: Mutator, at) => {
    requireFields<Mutator>(`mutators[${at}]`, mutator, {
      name: aName,
      weight: amountIn(1e-9, 1e9),
      mutate: aFunction,
    });
    const { name, weight } = mutator;
    const what = `mutator "${name}"`;
    return {
      name,
      weight,
      mutate(space, point, rng) {
        const answer: unknown = callOwn(what, () => mutator.mutate(space, point, rng));
        return answer === null ? null : pointOfAnswer(what, space, answer);
      },
    };
  });
}

/** Returns a point; null where the candidate breaks the constraints of the space. */
function pointOfAnswer(what: string, space: SearchSpace, answer: unknown): Point | null {
  const candidate = candidateOf(answer);
  const isKnown = candidate && space.templates.some(({ template }) => template.name === candidate.template);
  if (!isKnown) throw badAnswer(what, answer, "a point, a candidate { template, assignment } of the space, or null");
  return findPoint(space, candidate);
}

function candidateOf(answer: unknown): Candidate | null {
  if (typeof answer !== "object" || answer === null) return null;
  const { template, assignment } = ("candidate" in answer ? answer.candidate : answer) as Partial<Candidate>;
  if (typeof template !== "string" || typeof assignment !== "object" || assignment === null) return null;
  return Object.values(assignment).every(Number.isInteger) ? { template, assignment } : null;
}

/** Mutates a point by one of the mutators, drawn by weight; by another one where that gives nothing. */
export function mutateBy(mutators: readonly Mutator[], space: SearchSpace, point: Point, rng: Rng): Point | null {
  let left = mutators;
  while (left.length > 0) {
    const mutator = drawn(left, rng);
    const mutant = mutator.mutate(space, point, rng);
    if (mutant) return mutant as Point;
    left = left.filter((other) => other !== mutator);
  }
  return null;
}

function drawn(mutators: readonly Mutator[], rng: Rng): Mutator {
  let target = rng.unit() * mutators.reduce((sum, { weight }) => sum + weight, 0);
  const found = mutators.find(({ weight }) => {
    target -= weight;
    return target < 0;
  });
  return found ?? mutators.at(-1)!;
}
