// result = options[index]: drops an index whose option shares no value with the result, and keeps in the result what
// some option still offers; with one index left, option and result are equal.

import { type DomainStore, lowestBit } from "../domain-store.ts";
import type { NormalSelect, VariableId } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

export function selectPropagator(store: DomainStore, { result, index, options }: NormalSelect): Propagator {
  const offers = options.map((option) => offerOf(store, option, result));
  const mask = new Int32Array(store.words[result]!);
  const run = (): boolean => {
    mask.fill(0);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const at of store.indices(index)) {
      const chosen = store.values[index]![at]!;
      if (offers[chosen]?.(mask)) {
        low = Math.min(low, store.min(options[chosen]!));
        high = Math.max(high, store.max(options[chosen]!));
      } else if (!store.removeIndex(index, at)) return false;
    }
    if (!keepOffered(store, result, mask, low, high)) return false;
    return !store.isFixed(index) || keepShared(store, options[store.min(index)]!, result);
  };
  return { variables: [result, index, ...options], idempotent: false, run };
}

/** Adds to a mask of the result's values those that the option has too; false when there is none. */
type Offer = (mask: Int32Array) => boolean;

function offerOf(store: DomainStore, option: VariableId, result: VariableId): Offer {
  if (!store.values[result])
    return () => store.min(option) <= store.max(result) && store.max(option) >= store.min(result);
  const optionValues = store.values[option];
  if (!optionValues) return (mask) => offerRange(store, option, result, mask);
  const map = Int32Array.from(optionValues, (value) => store.indexOf(result, value));
  return (mask) => offerList(store, option, result, map, mask);
}

function offerList(
  store: DomainStore,
  option: VariableId,
  result: VariableId,
  map: Int32Array,
  mask: Int32Array,
): boolean {
  let offered = false;
  for (let w = 0; w < store.words[option]!; w++) {
    for (let word = store.bits[store.start[option]! + w]!; word !== 0; word &= word - 1) {
      const index = map[(w << 5) + lowestBit(word)]!;
      if (index < 0 || !store.hasIndex(result, index)) continue;
      mask[index >> 5]! |= 1 << (index & 31);
      offered = true;
    }
  }
  return offered;
}

function offerRange(store: DomainStore, option: VariableId, result: VariableId, mask: Int32Array): boolean {
  const [low, high] = [store.min(option), store.max(option)];
  const offered = store.indices(result).filter((at) => {
    const value = store.values[result]![at]!;
    return value >= low && value <= high;
  });
  for (const at of offered) mask[at >> 5]! |= 1 << (at & 31);
  return offered.length > 0;
}

function keepOffered(store: DomainStore, result: VariableId, mask: Int32Array, low: number, high: number): boolean {
  return store.values[result] ? store.keep(result, mask) : store.restrict(result, low, high);
}

/** The option keeps what the result has. */
function keepShared(store: DomainStore, option: VariableId, result: VariableId): boolean {
  const [optionValues, resultValues] = [store.values[option], store.values[result]];
  if (!optionValues || !resultValues) return store.restrict(option, store.min(result), store.max(result));
  return store.indices(option).every((at) => {
    const other = store.indexOf(result, optionValues[at]!);
    return (other >= 0 && store.hasIndex(result, other)) || store.removeIndex(option, at);
  });
}
