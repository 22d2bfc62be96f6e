// The plain evaluator of constraints, with no solver in it: tests compare the solvers' samples with it.

import { type Assignment, invariant } from "../../compiler/index.ts";
import type { Comparison, Constraint, ConstraintModel, Membership, Term, Variable } from "./constraint.ts";
import { isRange } from "./normal-form.ts";

/**
 * Returns the constraints that an assignment of all variables violates; a value outside its domain is reported as one-of.
 */
export function check(model: ConstraintModel, assignment: Assignment): Constraint[] {
  const outside = model.variables.filter((variable) => !isInDomain(variable, assignment)).map(domainConstraint);
  return [...outside, ...model.constraints.filter((constraint) => !holds(constraint, assignment))];
}

function isInDomain({ name, domain }: Variable, assignment: Assignment): boolean {
  const value = assignment[name];
  if (value === undefined) return false;
  return isRange(domain)
    ? Number.isInteger(value) && value >= domain.from && value <= domain.to
    : domain.includes(value);
}

function domainConstraint({ name, domain }: Variable): Constraint {
  const values = isRange(domain) ? [domain.from, domain.to] : domain;
  const text = isRange(domain) ? `${domain.from} … ${domain.to}` : domain.join(", ");
  return { kind: "one-of", variable: name, values, why: `${name} is one of ${text}`, role: "definition" };
}

function holds(constraint: Constraint, assignment: Assignment): boolean {
  const value = (term: Term): number => termValue(term, assignment);
  switch (constraint.kind) {
    case "product":
      return (
        value(constraint.result) === constraint.factors.reduce<number>((product, factor) => product * value(factor), 1)
      );
    case "sum": {
      const sum = constraint.terms.reduce((total, { coefficient, term }) => total + coefficient * value(term), 0);
      return value(constraint.result) === sum + constraint.offset;
    }
    case "ceil-div":
      return value(constraint.result) === Math.ceil(value(constraint.numerator) / value(constraint.divisor));
    case "equal":
    case "not-equal":
    case "at-most":
    case "less-than":
    case "one-of":
      return isTrue(constraint, value);
    case "conditional": {
      const applies = constraint.when.every(({ tunable, oneOf }) => oneOf.includes(value(tunable)));
      return !applies || isTrue(constraint.then, value);
    }
    case "select": {
      const option = constraint.options[value(constraint.index)];
      return option !== undefined && value(constraint.result) === value(option);
    }
  }
}

function isTrue(relation: Comparison | Membership, value: (term: Term) => number): boolean {
  switch (relation.kind) {
    case "equal":
      return value(relation.left) === value(relation.right);
    case "not-equal":
      return value(relation.left) !== value(relation.right);
    case "at-most":
      return value(relation.left) <= value(relation.right);
    case "less-than":
      return value(relation.left) < value(relation.right);
    case "one-of":
      return relation.values.includes(value(relation.variable));
  }
}

function termValue(term: Term, assignment: Assignment): number {
  if (typeof term === "number") return term;
  const value = assignment[term];
  invariant(value !== undefined, `no value for ${term}`);
  return value;
}
