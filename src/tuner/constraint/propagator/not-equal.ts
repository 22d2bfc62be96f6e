// a ≠ b: once one is known, the other loses that value.

import type { DomainStore } from "../domain-store.ts";
import type { NotEqualConstraint, VariableId } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

export function notEqualPropagator(store: DomainStore, { a, b }: NotEqualConstraint): Propagator {
  return { variables: [a, b], idempotent: false, run: () => a !== b && exclude(store, a, b) && exclude(store, b, a) };
}

function exclude(store: DomainStore, known: VariableId, other: VariableId): boolean {
  if (!store.isFixed(known)) return true;
  const value = store.min(known);
  if (store.values[other]) {
    const index = store.indexOf(other, value);
    return index < 0 || store.removeIndex(other, index);
  }
  if (store.min(other) === value) return store.restrict(other, value + 1, Number.POSITIVE_INFINITY);
  if (store.max(other) === value) return store.restrict(other, 0, value - 1);
  return true;
}

/** Says whether both variables are fixed, at the same value. */
export function notEqualRefuted(store: DomainStore, { a, b }: NotEqualConstraint): boolean {
  return a === b || (store.isFixed(a) && store.isFixed(b) && store.min(a) === store.min(b));
}
