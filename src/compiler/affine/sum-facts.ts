// Facts about sums → bounds of another sum. A fact that shares an atom with the sum bounds it, when a multiple of the fact is
// taken off so that the atom cancels. The language's numbers are exact.
//
//   48·j + l ≤ 100 and 0 ≤ l < 48   →   j ≤ 2:    48·(j) - (48·j + l) = -l ≤ 0, so 48·j ≤ 100

import { gcd } from "../support/integer-math.ts";
import { empty, type Interval, intersect, add as plus, scale, unbounded, unscale } from "./interval.ts";
import type { Language, LinearForm, LinearTerm } from "./language.ts";
import { addForms, commonFactor, divideTerms, isExact, scaleForm } from "./linear-form.ts";
import type { SumFact } from "./ranges.ts";

/** Bounds of terms where no facts about sums are known. */
type BoundsOfTerms<Node> = (terms: readonly LinearTerm<Node>[]) => Interval;

/**
 * Returns the bounds of a form that follow from all facts about sums; null: they say nothing about it. `boundsOf` must not use these
 * facts: one about an expression may contain that expression again, without end.
 */
export function boundsFromSums<Node>(
  language: Language<Node>,
  { terms, constant }: LinearForm<Node>,
  facts: readonly SumFact<Node>[],
  boundsOf: BoundsOfTerms<Node>,
): Interval | null {
  if (terms.length === 0 || facts.length === 0 || !isExact(terms)) return null;
  const factor = commonFactor(terms);
  const lowest = divideTerms(terms, factor);
  const known = facts.map((fact) => boundsFromSum(language, lowest, fact, boundsOf)).reduce(intersect);
  return plus(scale(known, factor), { min: constant, max: constant });
}

/** q·terms - p·fact = rest, in which an atom cancels → the bounds of the terms, for each such atom. */
function boundsFromSum<Node>(
  language: Language<Node>,
  terms: readonly LinearTerm<Node>[],
  fact: SumFact<Node>,
  boundsOf: BoundsOfTerms<Node>,
): Interval {
  let known = unbounded;
  for (const { atom, coefficient } of fact.terms) {
    const key = language.keyOf(atom);
    const own = terms.find((term) => language.keyOf(term.atom) === key)?.coefficient;
    if (own === undefined) continue;
    const divisor = gcd(Math.abs(own), Math.abs(coefficient));
    const [p, q] = [own / divisor, coefficient / divisor];
    const rest = addForms(
      language,
      scaleForm(language, { terms, constant: 0 }, q),
      { terms: fact.terms, constant: 0 },
      -p,
    );
    if (isExact(rest.terms)) known = intersect(known, unscale(plus(boundsOf(rest.terms), scale(fact, p)), q));
  }
  return known;
}

/**
 * The facts that `min ≤ terms ≤ max` tells: of the sum in lowest terms with a positive first coefficient, and of each atom by
 * itself, the others being what they are.
 */
export function factsAbout<Node>(
  terms: readonly LinearTerm<Node>[],
  interval: Interval,
  boundsOf: BoundsOfTerms<Node>,
): readonly SumFact<Node>[] {
  if (terms.length === 0) return interval.min <= 0 && interval.max >= 0 ? [] : [{ terms, ...empty }];
  const factor = commonFactor(terms);
  const lowest = divideTerms(terms, factor);
  const known = unscale(interval, factor);
  const sum: SumFact<Node> = { terms: lowest, ...known };
  if (lowest.length === 1) return [sum];
  const ofAtoms = lowest.map(({ atom, coefficient }): SumFact<Node> => {
    const others = boundsOf(lowest.filter((term) => term.atom !== atom));
    return { terms: [{ atom, coefficient: 1 }], ...unscale(plus(known, scale(others, -1)), coefficient) };
  });
  return [sum, ...ofAtoms.filter(({ min, max }) => Number.isFinite(min) || Number.isFinite(max))];
}
