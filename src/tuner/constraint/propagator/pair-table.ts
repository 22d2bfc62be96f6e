// result = f(a, b) over listed domains: keeps exactly the values that take part in a triple. Tables hold, for each pair of
// value indices of two of the three variables, the index of the third; a run walks the pairs of the two smallest domains.

import { type DomainStore, lowestBit } from "../domain-store.ts";
import { applyPair, type PairConstraint, type VariableId } from "../normal-form.ts";
import type { Propagator } from "./propagator.ts";

/** Above this many pairs a table costs more than it prunes; bounds are propagated instead. */
export const mostTableEntries = 1 << 16;

/** Index of the value of `third` for each pair of indices of `first` and `second`, −1 where there is none. */
interface PairTable {
  readonly first: VariableId;
  readonly second: VariableId;
  readonly third: VariableId;
  readonly entries: Int16Array;
}

export function pairTablePropagator(store: DomainStore, constraint: PairConstraint): Propagator {
  const { a, b, result } = constraint;
  const forward = forwardTable(store, constraint);
  const tables = [forward, ...inverses(store, forward)];
  const idempotent = new Set([a, b, result]).size === 3;
  if ([a, b, result].every((id) => store.words[id] === 1))
    return { variables: [a, b, result], idempotent, run: wordPropagation(store, tables) };
  const masks = new Map([a, b, result].map((id) => [id, new Int32Array(store.words[id]!)]));
  const walks = tables.map((table) => walkOf(store, table, masks));
  const [aMask, bMask, resultMask] = [masks.get(a)!, masks.get(b)!, masks.get(result)!];
  const run = (): boolean => {
    aMask.fill(0);
    bMask.fill(0);
    resultMask.fill(0);
    walks[fewestPairs(store, tables)]!();
    return store.keep(a, aMask) && store.keep(b, bMask) && store.keep(result, resultMask);
  };
  return { variables: [a, b, result], idempotent, run };
}

/** Returns the index of the table with the fewest pairs left. */
function fewestPairs(store: DomainStore, tables: readonly PairTable[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0; k < tables.length; k++) {
    const pairs = store.size(tables[k]!.first) * store.size(tables[k]!.second);
    if (pairs >= least) continue;
    least = pairs;
    best = k;
  }
  return best;
}

/** Propagates as `walkOf` does, where every domain is one word, as most are: two to three times as fast. */
function wordPropagation(store: DomainStore, tables: readonly PairTable[]): () => boolean {
  const { bits, start } = store;
  const counts = tables.map(({ second }) => store.values[second]!.length);
  return () => {
    const at = tables.length === 1 ? 0 : fewestPairs(store, tables);
    const { first, second, third, entries } = tables[at]!;
    const count = counts[at]!;
    const [others, results] = [bits[start[second]!]!, bits[start[third]!]!];
    let [firstMask, secondMask, thirdMask] = [0, 0, 0];
    for (let left = bits[start[first]!]!; left !== 0; left &= left - 1) {
      const row = lowestBit(left) * count;
      let marked = 0;
      for (let word = others; word !== 0; word &= word - 1) {
        const index = entries[row + lowestBit(word)]!;
        if (index < 0 || ((results >>> index) & 1) === 0) continue;
        thirdMask |= 1 << index;
        marked |= word & -word;
      }
      if (marked === 0) continue;
      secondMask |= marked;
      firstMask |= left & -left;
    }
    return store.keepWord(first, firstMask) && store.keepWord(second, secondMask) && store.keepWord(third, thirdMask);
  };
}

function forwardTable(store: DomainStore, { function: fn, a, b, result }: PairConstraint): PairTable {
  const [aValues, bValues] = [store.values[a]!, store.values[b]!];
  const entries = Int16Array.from({ length: aValues.length * bValues.length }, (_, at) =>
    store.indexOf(result, applyPair(fn, aValues[Math.floor(at / bValues.length)]!, bValues[at % bValues.length]!)),
  );
  return { first: a, second: b, third: result, entries };
}

/** Makes tables from the result and one argument to the other, where that is a function of those and not too large. */
function inverses(store: DomainStore, { first, second, third, entries }: PairTable): PairTable[] {
  // With a variable in two places a walk would look at its pairs, not at its values.
  if (new Set([first, second, third]).size < 3) return [];
  const [count, results] = [store.values[second]!.length, store.values[third]!.length];
  const bySide = [first, second].map((known, side): PairTable | null => {
    const length = store.values[known]!.length * results;
    if (length > mostTableEntries) return null;
    const inverse = new Int16Array(length).fill(-1);
    for (let at = 0; at < entries.length; at++) {
      if (entries[at]! < 0) continue;
      const [a, b] = [Math.floor(at / count), at % count];
      const place = (side === 0 ? a : b) * results + entries[at]!;
      if (inverse[place] !== -1) return null;
      inverse[place] = side === 0 ? b : a;
    }
    return { first: known, second: third, third: side === 0 ? second : first, entries: inverse };
  });
  return bySide.filter((table) => table !== null);
}

/** Returns a function that sets the bits of all values that take part in a triple. */
function walkOf(store: DomainStore, { first, second, third, entries }: PairTable, masks: Masks): () => void {
  const { bits } = store;
  const [firstStart, secondStart, thirdStart] = [first, second, third].map((id) => store.start[id]!) as Three;
  const [firstMask, secondMask, thirdMask] = [masks.get(first)!, masks.get(second)!, masks.get(third)!];
  const count = store.values[second]!.length;

  /** Marks the values that support a value of `first`. Returns 0 when nothing does. */
  const support = (row: number): number => {
    let supported = 0;
    for (let w = 0; w < secondMask.length; w++) {
      let marked = 0;
      for (let word = bits[secondStart + w]!; word !== 0; word &= word - 1) {
        const index = entries[row + (w << 5) + lowestBit(word)]!;
        if (index < 0 || (bits[thirdStart + (index >> 5)]! & (1 << (index & 31))) === 0) continue;
        thirdMask[index >> 5]! |= 1 << (index & 31);
        marked |= word & -word;
      }
      secondMask[w]! |= marked;
      supported |= marked;
    }
    return supported;
  };
  return () => {
    for (let w = 0; w < firstMask.length; w++) {
      for (let word = bits[firstStart + w]!; word !== 0; word &= word - 1) {
        if (support(((w << 5) + lowestBit(word)) * count) !== 0) firstMask[w]! |= word & -word;
      }
    }
  };
}

type Masks = ReadonlyMap<VariableId, Int32Array>;
type Three = [number, number, number];
