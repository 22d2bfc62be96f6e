// Which variables and constants a constraint speaks of.

import type { Constraint, Term } from "./constraint.ts";

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
      return [constraint.left, constraint.right];
    case "one-of":
      return [constraint.variable];
    case "select":
      return [constraint.result, constraint.index, ...constraint.options];
  }
}
