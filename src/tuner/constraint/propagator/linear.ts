// Σ coefficient · variable + offset = 0 or ≤ 0, on bounds: each term may take what the others leave.

import type { DomainStore } from "../domain-store.ts";
import type { LinearConstraint } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

export function linearPropagator(store: DomainStore, constraint: LinearConstraint): Propagator {
  const variables = constraint.terms.map(({ variable }) => variable);
  // A limit takes from one side of a domain what the other sides leave: that changes no other limit of the same terms.
  const idempotent = constraint.relation === "at-most-zero" && new Set(variables).size === variables.length;
  const isEntailed = (): boolean =>
    constraint.relation === "at-most-zero" && mostSum(store, constraint.terms, constraint.offset) <= 0;
  return { variables, idempotent, run: () => propagateLinear(store, constraint), isEntailed };
}

function propagateLinear(store: DomainStore, { terms, offset, relation }: LinearConstraint): boolean {
  const isZero = relation === "zero";
  const low = leastSum(store, terms, offset);
  const high = isZero ? mostSum(store, terms, offset) : 0;
  if (low > 0 || (isZero && high < 0)) return false;
  for (let k = 0; k < terms.length; k++) {
    const { coefficient, variable } = terms[k]!;
    if (coefficient === 0) continue;
    const [min, max] = [coefficient * store.min(variable), coefficient * store.max(variable)];
    const most = Math.min(min, max) - low;
    const least = isZero ? Math.max(min, max) - high : Number.NEGATIVE_INFINITY;
    const holds =
      coefficient > 0
        ? store.restrict(variable, least / coefficient, most / coefficient)
        : store.restrict(variable, most / coefficient, least / coefficient);
    if (!holds) return false;
  }
  return true;
}

/** Says whether the bounds alone refute the relation. */
export function linearRefuted(store: DomainStore, { terms, offset, relation }: LinearConstraint): boolean {
  return leastSum(store, terms, offset) > 0 || (relation === "zero" && mostSum(store, terms, offset) < 0);
}

function leastSum(store: DomainStore, terms: LinearConstraint["terms"], offset: number): number {
  let sum = offset;
  for (let k = 0; k < terms.length; k++) {
    const { coefficient, variable } = terms[k]!;
    sum += coefficient * (coefficient > 0 ? store.min(variable) : store.max(variable));
  }
  return sum;
}

function mostSum(store: DomainStore, terms: LinearConstraint["terms"], offset: number): number {
  let sum = offset;
  for (let k = 0; k < terms.length; k++) {
    const { coefficient, variable } = terms[k]!;
    sum += coefficient * (coefficient > 0 ? store.max(variable) : store.min(variable));
  }
  return sum;
}
