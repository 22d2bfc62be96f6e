// Σ coefficient · variable + offset = 0 or ≤ 0, on bounds: each term may take what the others leave.

import type { DomainStore } from "../domain-store.ts";
import type { LinearConstraint } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

export function linearPropagator(store: DomainStore, constraint: LinearConstraint): Propagator {
  const variables = constraint.terms.map(({ variable }) => variable);
  return { variables, idempotent: false, run: () => propagateLinear(store, constraint) };
}

function propagateLinear(store: DomainStore, { terms, offset, relation }: LinearConstraint): boolean {
  const [low, high] = sumBounds(store, terms, offset);
  const isZero = relation === "zero";
  if (low > 0 || (isZero && high < 0)) return false;
  return terms.every(({ coefficient, variable }) => {
    if (coefficient === 0) return true;
    const [first, second] = [coefficient * store.min(variable), coefficient * store.max(variable)];
    const most = Math.min(first, second) - low;
    const least = isZero ? Math.max(first, second) - high : Number.NEGATIVE_INFINITY;
    return coefficient > 0
      ? store.restrict(variable, least / coefficient, most / coefficient)
      : store.restrict(variable, most / coefficient, least / coefficient);
  });
}

/** Whether the bounds alone refute the relation. */
export function linearRefuted(store: DomainStore, { terms, offset, relation }: LinearConstraint): boolean {
  const [low, high] = sumBounds(store, terms, offset);
  return low > 0 || (relation === "zero" && high < 0);
}

function sumBounds(store: DomainStore, terms: LinearConstraint["terms"], offset: number): readonly [number, number] {
  let [low, high] = [offset, offset];
  for (const { coefficient, variable } of terms) {
    const [first, second] = [coefficient * store.min(variable), coefficient * store.max(variable)];
    low += Math.min(first, second);
    high += Math.max(first, second);
  }
  return [low, high];
}
