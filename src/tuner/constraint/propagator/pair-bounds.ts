// result = f(a, b) where a domain is a range or a table would be too large: reasons with the smallest and the largest
// values only. Values are ≥ 0, coefficients of products too.

import type { DomainStore } from "../domain-store.ts";
import type { PairConstraint } from "../normal-form.ts";
import { linearPropagator } from "./linear.ts";
import type { Propagator } from "./propagator.ts";

export function pairBoundsPropagator(store: DomainStore, constraint: PairConstraint): Propagator {
  const { function: fn, a, b, result } = constraint;
  const variables = [a, b, result];
  switch (fn.kind) {
    case "product":
      return { variables, idempotent: false, run: () => productBounds(store, constraint, fn.coefficient) };
    case "ceil-div":
      return { variables, idempotent: false, run: () => ceilDivBounds(store, constraint) };
    case "sum": {
      const terms = [
        { coefficient: fn.aCoefficient, variable: a },
        { coefficient: fn.bCoefficient, variable: b },
        { coefficient: -1, variable: result },
      ];
      return linearPropagator(store, { kind: "linear", relation: "zero", terms, offset: fn.offset });
    }
  }
}

function productBounds(store: DomainStore, { a, b, result }: PairConstraint, coefficient: number): boolean {
  const low = coefficient * store.min(a) * store.min(b);
  const high = coefficient * store.max(a) * store.max(b);
  return (
    store.restrict(result, low, high) &&
    factorBounds(store, a, b, result, coefficient) &&
    factorBounds(store, b, a, result, coefficient)
  );
}

/** Propagates factor = result / (coefficient · other) on bounds, where the divisor is not 0. */
function factorBounds(store: DomainStore, factor: number, other: number, result: number, coefficient: number): boolean {
  const smallest = coefficient * store.min(other);
  const largest = coefficient * store.max(other);
  const high = smallest > 0 ? store.max(result) / smallest : Number.POSITIVE_INFINITY;
  const low = largest > 0 ? store.min(result) / largest : 0;
  return store.restrict(factor, low, high);
}

/** Propagates (result − 1) · b < a ≤ result · b on bounds. */
function ceilDivBounds(store: DomainStore, { a, b, result }: PairConstraint): boolean {
  if (!store.restrict(b, 1, Number.POSITIVE_INFINITY)) return false;
  const low = Math.ceil(store.min(a) / store.max(b));
  const high = Math.ceil(store.max(a) / store.min(b));
  if (!store.restrict(result, low, high)) return false;
  const [minResult, maxResult] = [store.min(result), store.max(result)];
  if (!store.restrict(a, (minResult - 1) * store.min(b) + 1, maxResult * store.max(b))) return false;
  const minDivisor = maxResult > 0 ? store.min(a) / maxResult : 1;
  const maxDivisor = minResult > 1 ? Math.ceil(store.max(a) / (minResult - 1)) - 1 : Number.POSITIVE_INFINITY;
  return store.restrict(b, minDivisor, maxDivisor);
}
