// result = options[index]: drops an index whose option shares no value with the result, and keeps in the result what
// some option still offers; with one index left, option and result are equal.

import { type DomainStore, lowestBit } from "../domain-store.ts";
import type { NormalSelect, VariableId } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

export function selectPropagator(store: DomainStore, { result, index, options }: NormalSelect): Propagator {
  const offers = options.map((option) => offerOf(store, option, result));
  const shares = options.map((option) => shareOf(store, option, result));
  const mask = new Int32Array(store.words[result]!);
  const [indexValues, indexStart] = [store.values[index]!, store.start[index]!];
  const run = (): boolean => {
    mask.fill(0);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let w = 0; w < store.words[index]!; w++) {
      for (let word = store.bits[indexStart + w]!; word !== 0; word &= word - 1) {
        const at = (w << 5) + lowestBit(word);
        const chosen = indexValues[at]!;
        if (offers[chosen]?.(mask)) {
          low = Math.min(low, store.min(options[chosen]!));
          high = Math.max(high, store.max(options[chosen]!));
        } else if (!store.removeIndex(index, at)) return false;
      }
    }
    if (!keepOffered(store, result, mask, low, high)) return false;
    return !store.isFixed(index) || shares[store.min(index)]!();
  };
  return { variables: [result, index, ...options], idempotent: false, run };
}

/** Adds to a mask of the result's values those that the option has too; false when there is none. */
type Offer = (mask: Int32Array) => boolean;

function offerOf(store: DomainStore, option: VariableId, result: VariableId): Offer {
  if (!store.values[result])
    return () => store.min(option) <= store.max(result) && store.max(option) >= store.min(result);
  if (!store.values[option]) return (mask) => offerRange(store, option, result, mask);
  return offerList(store, option, result);
}

function offerList(store: DomainStore, option: VariableId, result: VariableId): Offer {
  const map = mapOf(store, option, result);
  const { bits } = store;
  const [words, optionStart, resultStart] = [store.words[option]!, store.start[option]!, store.start[result]!];
  return (mask) => {
    let offered = false;
    for (let w = 0; w < words; w++) {
      for (let word = bits[optionStart + w]!; word !== 0; word &= word - 1) {
        const at = map[(w << 5) + lowestBit(word)]!;
        if (at < 0 || (bits[resultStart + (at >> 5)]! & (1 << (at & 31))) === 0) continue;
        mask[at >> 5]! |= 1 << (at & 31);
        offered = true;
      }
    }
    return offered;
  };
}

/** Maps the index of each value in one variable's list to its index in another's, or −1. */
const mapOf = (store: DomainStore, from: VariableId, to: VariableId): Int32Array =>
  Int32Array.from(store.values[from]!, (value) => store.indexOf(to, value));

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

/** Returns a function that makes the option keep only values that the result has. */
function shareOf(store: DomainStore, option: VariableId, result: VariableId): () => boolean {
  if (!store.values[option] || !store.values[result])
    return () => store.restrict(option, store.min(result), store.max(result));
  const offer = offerList(store, result, option);
  const mask = new Int32Array(store.words[option]!);
  return () => {
    mask.fill(0);
    return offer(mask) && store.keep(option, mask);
  };
}
