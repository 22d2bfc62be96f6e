// Variables and constants that a constraint is about.

import type { Comparison, Constraint, Membership, Term } from "./constraint.ts";

export function termsOf(constraint: Constraint): readonly Term[] {
  switch (constraint.kind) {
    case "product":
      return [constraint.result, ...constraint.factors];
    case "sum":
      return [constraint.result, ...constraint.terms.map(({ term }) => term)];
    case "ceil-div":
      return [constraint.result, constraint.numerator, constraint.divisor];
    case "equal":
    case "not-equal":
    case "at-most":
    case "less-than":
    case "one-of":
      return relationTerms(constraint);
    case "conditional":
      return [...constraint.when.map(({ tunable }) => tunable), ...relationTerms(constraint.then)];
    case "select":
      return [constraint.result, constraint.index, ...constraint.options];
  }
}

const relationTerms = (relation: Comparison | Membership): readonly Term[] =>
  relation.kind === "one-of" ? [relation.variable] : [relation.left, relation.right];
