// variable ∈ values, where that holds only under conditions; elsewhere a membership narrows the domain once and for all.

import type { DomainStore } from "../domain-store.ts";
import type { MemberConstraint } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

export function memberPropagator(store: DomainStore, constraint: MemberConstraint): Propagator {
  const { variable, values } = constraint;
  if (store.values[variable]) {
    const mask = maskOf(store, constraint);
    return { variables: [variable], idempotent: true, run: () => store.keep(variable, mask) };
  }
  // A range keeps its ends on listed values: exact once it is fixed.
  const run = (): boolean => {
    const least = values.find((value) => value >= store.min(variable));
    const most = values.findLast((value) => value <= store.max(variable));
    return least !== undefined && most !== undefined && store.restrict(variable, least, most);
  };
  return { variables: [variable], idempotent: true, run };
}

/** The values as bits of a listed variable's domain. */
export function maskOf(store: DomainStore, { variable, values }: MemberConstraint): Int32Array {
  const mask = new Int32Array(store.words[variable]!);
  for (const value of values) {
    const index = store.indexOf(variable, value);
    if (index >= 0) mask[index >> 5]! |= 1 << (index & 31);
  }
  return mask;
}

/** Says whether all, none or some of a listed domain's values are in a mask. */
export function shareIn(store: DomainStore, variable: number, mask: Int32Array): "all" | "none" | "some" {
  const start = store.start[variable]!;
  let [inside, outside] = [0, 0];
  for (let w = 0; w < mask.length; w++) {
    const word = store.bits[start + w]!;
    inside |= word & mask[w]!;
    outside |= word & ~mask[w]!;
  }
  if (inside === 0) return "none";
  return outside === 0 ? "all" : "some";
}
