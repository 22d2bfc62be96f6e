// Values that a large expression uses several times: each is computed once in a run of its statement, and only when it
// is needed. It must not be computed earlier, as a side of a choice that is not taken may read outside of its buffer.

import { operandsFirst, usesOf } from "../support/graph.ts";
import type { Expr } from "./loop-ir.ts";
import { operandsOf } from "./operands.ts";

/** The nodes of one large expression and their closures. */
export interface Shared {
  /** Operands before what is made of them. */
  readonly order: readonly Expr[];
  readonly uses: ReadonlyMap<Expr, number>;
  /** Counter of the runs of the statement. */
  readonly clock: { runs: number };
  readonly closures: Map<Expr, () => unknown>;
}

export function sharedIn(expr: Expr): Shared {
  const order = operandsFirst(expr, operandsOf);
  return { order, uses: usesOf(order, operandsOf), clock: { runs: 0 }, closures: new Map() };
}

/** The closure of a node, made once; it keeps its value for a run where several ask for it. */
export function onceOf<T>(expr: Expr, shared: Shared, make: () => () => T): () => T {
  const found = shared.closures.get(expr);
  if (found) return found as () => T;
  const value = make();
  const own = (shared.uses.get(expr) ?? 0) > 1 ? oncePerRun(value, shared) : value;
  shared.closures.set(expr, own);
  return own;
}

function oncePerRun<T>(value: () => T, { clock }: Shared): () => T {
  let at = 0;
  let known: T;
  return () => {
    if (at !== clock.runs) {
      known = value();
      at = clock.runs;
    }
    return known;
  };
}

/** The closure of the whole expression, of which each call is a run. */
export function runOf<T>(value: () => T, { clock }: Shared): () => T {
  return () => {
    clock.runs++;
    return value();
  };
}
