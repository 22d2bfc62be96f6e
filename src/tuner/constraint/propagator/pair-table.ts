// result = f(a, b) over listed domains: keeps exactly the values that take part in a triple. A table holds, for each
// pair of value indices, the index of the result.

import { type DomainStore, lowestBit } from "../domain-store.ts";
import { applyPair, type PairConstraint } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

/** Above this many pairs a table costs more than it prunes; bounds are propagated instead. */
export const mostTableEntries = 1 << 16;

export function pairTablePropagator(store: DomainStore, { function: fn, a, b, result }: PairConstraint): Propagator {
  const [aValues, bValues] = [store.values[a]!, store.values[b]!];
  const bCount = bValues.length;
  const table = Int16Array.from({ length: aValues.length * bCount }, (_, at) =>
    store.indexOf(result, applyPair(fn, aValues[Math.floor(at / bCount)]!, bValues[at % bCount]!)),
  );
  const [aMask, bMask, resultMask] = [a, b, result].map((id) => new Int32Array(store.words[id]!)) as Masks;
  const { bits } = store;
  const resultStart = store.start[result]!;

  /** Marks what supports value `aIndex` of a; false when nothing does. */
  const support = (aIndex: number): boolean => {
    const row = aIndex * bCount;
    let supported = false;
    for (let w = 0; w < bMask.length; w++) {
      for (let word = bits[store.start[b]! + w]!; word !== 0; word &= word - 1) {
        const index = table[row + (w << 5) + lowestBit(word)]!;
        if (index < 0 || (bits[resultStart + (index >> 5)]! & (1 << (index & 31))) === 0) continue;
        resultMask[index >> 5]! |= 1 << (index & 31);
        bMask[w]! |= word & -word;
        supported = true;
      }
    }
    return supported;
  };

  const run = (): boolean => {
    aMask.fill(0);
    bMask.fill(0);
    resultMask.fill(0);
    for (let w = 0; w < aMask.length; w++) {
      for (let word = bits[store.start[a]! + w]!; word !== 0; word &= word - 1) {
        if (support((w << 5) + lowestBit(word))) aMask[w]! |= word & -word;
      }
    }
    return store.keep(a, aMask) && store.keep(b, bMask) && store.keep(result, resultMask);
  };
  return { variables: [a, b, result], idempotent: new Set([a, b, result]).size === 3, run };
}

type Masks = [Int32Array, Int32Array, Int32Array];
