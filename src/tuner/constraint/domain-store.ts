// The domains of all variables of a solver run in two typed arrays, so that a state is saved and restored by copying.
// A listed domain is a bitset over its sorted values; a range is two bounds.

import type { Domain } from "./constraint.ts";
import { isRange, type VariableId } from "./normal-form.ts";

/** A saved state. */
export interface StoreFrame {
  readonly bits: Int32Array;
  readonly bounds: Float64Array;
}

export class DomainStore {
  /** Sorted values a bit stands for; null for a range. */
  readonly values: readonly (Float64Array | null)[];
  /** Index of the variable's first word in `bits`, or of its two bounds in `bounds`. */
  readonly start: Int32Array;
  /** Words of a bitset; 0 for a range. */
  readonly words: Int32Array;
  readonly bits: Int32Array;
  readonly bounds: Float64Array;
  /** Variables whose domain shrank since the propagation loop looked last, each once: the first `changes`. */
  readonly changed: Int32Array;
  changes = 0;
  readonly #isChanged: Uint8Array;
  readonly #frames: StoreFrame[] = [];

  constructor(domains: readonly Domain[]) {
    this.values = domains.map((domain) => (isRange(domain) ? null : Float64Array.from(domain)));
    this.words = Int32Array.from(this.values, (values) => (values ? Math.max(1, (values.length + 31) >> 5) : 0));
    this.start = new Int32Array(domains.length);
    this.changed = new Int32Array(domains.length);
    this.#isChanged = new Uint8Array(domains.length);
    let [bitWords, boundSlots] = [0, 0];
    for (let id = 0; id < domains.length; id++) {
      const words = this.words[id]!;
      this.start[id] = words > 0 ? bitWords : boundSlots;
      if (words > 0) bitWords += words;
      else boundSlots += 2;
    }
    this.bits = new Int32Array(bitWords);
    this.bounds = new Float64Array(boundSlots);
    domains.forEach((domain, id) => {
      this.#fill(id, domain);
    });
  }

  #fill(id: VariableId, domain: Domain): void {
    const start = this.start[id]!;
    if (isRange(domain)) this.bounds.set([domain.from, domain.to], start);
    else for (let k = 0; k < domain.length; k++) this.bits[start + (k >> 5)]! |= 1 << (k & 31);
  }

  /** A state to save to, always the same one for a depth of a search. */
  frameAt(depth: number): StoreFrame {
    while (this.#frames.length <= depth) this.#frames.push(this.save());
    return this.#frames[depth]!;
  }

  save(): StoreFrame {
    return { bits: this.bits.slice(), bounds: this.bounds.slice() };
  }

  saveTo(frame: StoreFrame): void {
    frame.bits.set(this.bits);
    frame.bounds.set(this.bounds);
  }

  restore(frame: StoreFrame): void {
    this.bits.set(frame.bits);
    this.bounds.set(frame.bounds);
    this.forgetChanges();
  }

  forgetChanges(): void {
    for (let k = 0; k < this.changes; k++) this.#isChanged[this.changed[k]!] = 0;
    this.changes = 0;
  }

  #note(id: VariableId): void {
    if (this.#isChanged[id] === 1) return;
    this.#isChanged[id] = 1;
    this.changed[this.changes++] = id;
  }

  isEmpty(id: VariableId): boolean {
    const start = this.start[id]!;
    if (this.words[id] === 0) return this.bounds[start]! > this.bounds[start + 1]!;
    return this.firstIndex(id) < 0;
  }

  /** Index of the smallest value left in a listed domain; −1 when none is. */
  firstIndex(id: VariableId): number {
    const start = this.start[id]!;
    for (let w = 0; w < this.words[id]!; w++) {
      const word = this.bits[start + w]!;
      if (word !== 0) return (w << 5) + lowestBit(word);
    }
    return -1;
  }

  lastIndex(id: VariableId): number {
    const start = this.start[id]!;
    for (let w = this.words[id]! - 1; w >= 0; w--) {
      const word = this.bits[start + w]!;
      if (word !== 0) return (w << 5) + 31 - Math.clz32(word);
    }
    return -1;
  }

  min(id: VariableId): number {
    const values = this.values[id];
    return values ? values[this.firstIndex(id)]! : this.bounds[this.start[id]!]!;
  }

  max(id: VariableId): number {
    const values = this.values[id];
    return values ? values[this.lastIndex(id)]! : this.bounds[this.start[id]! + 1]!;
  }

  isFixed(id: VariableId): boolean {
    const start = this.start[id]!;
    if (this.words[id] === 0) return this.bounds[start] === this.bounds[start + 1];
    let seen = false;
    for (let w = 0; w < this.words[id]!; w++) {
      const word = this.bits[start + w]!;
      if (word === 0) continue;
      if (seen || (word & (word - 1)) !== 0) return false;
      seen = true;
    }
    return seen;
  }

  hasIndex(id: VariableId, index: number): boolean {
    return (this.bits[this.start[id]! + (index >> 5)]! & (1 << (index & 31))) !== 0;
  }

  size(id: VariableId): number {
    const start = this.start[id]!;
    if (this.words[id] === 0) return this.bounds[start + 1]! - this.bounds[start]! + 1;
    let count = 0;
    for (let w = 0; w < this.words[id]!; w++) count += populationCount(this.bits[start + w]!);
    return count;
  }

  /** Indices of the values left in a listed domain. */
  indices(id: VariableId): number[] {
    const result: number[] = [];
    const start = this.start[id]!;
    for (let w = 0; w < this.words[id]!; w++) {
      for (let word = this.bits[start + w]!; word !== 0; word &= word - 1) result.push((w << 5) + lowestBit(word));
    }
    return result;
  }

  /** Index of a value in the static list of a listed domain, or −1. */
  indexOf(id: VariableId, value: number): number {
    const values = this.values[id]!;
    const index = lowerBound(values, value);
    return values[index] === value ? index : -1;
  }

  /** The domain that is left. */
  domain(id: VariableId): Domain {
    const values = this.values[id];
    if (!values) return { from: this.min(id), to: this.max(id) };
    return this.indices(id).map((index) => values[index]!);
  }

  // The functions below shrink a domain, and return false when nothing is left of it.

  removeIndex(id: VariableId, index: number): boolean {
    if (!this.hasIndex(id, index)) return true;
    this.bits[this.start[id]! + (index >> 5)]! &= ~(1 << (index & 31));
    this.#note(id);
    return this.firstIndex(id) >= 0;
  }

  fixIndex(id: VariableId, index: number): boolean {
    if (!this.hasIndex(id, index)) return false;
    const start = this.start[id]!;
    this.bits.fill(0, start, start + this.words[id]!);
    this.bits[start + (index >> 5)] = 1 << (index & 31);
    this.#note(id);
    return true;
  }

  /** Keeps the values whose bits are set in `mask`, one word for each word of the domain. */
  keep(id: VariableId, mask: Int32Array): boolean {
    const start = this.start[id]!;
    let [left, lost] = [0, 0];
    for (let w = 0; w < this.words[id]!; w++) {
      const before = this.bits[start + w]!;
      const after = before & mask[w]!;
      this.bits[start + w] = after;
      left |= after;
      lost |= before ^ after;
    }
    if (lost !== 0) this.#note(id);
    return left !== 0;
  }

  /** `keep` for a domain of one word. */
  keepWord(id: VariableId, mask: number): boolean {
    const start = this.start[id]!;
    const before = this.bits[start]!;
    const after = before & mask;
    if (after === before) return after !== 0;
    this.bits[start] = after;
    this.#note(id);
    return after !== 0;
  }

  /** Keeps the values in [low, high]. */
  restrict(id: VariableId, low: number, high: number): boolean {
    if (this.min(id) >= low && this.max(id) <= high) return true;
    if (this.words[id] === 0) return this.#restrictRange(id, low, high);
    const values = this.values[id]!;
    const first = lowerBound(values, low);
    const last = lowerBound(values, Math.floor(high) + 1) - 1;
    const start = this.start[id]!;
    let left = 0;
    for (let w = 0; w < this.words[id]!; w++) {
      this.bits[start + w]! &= maskBetween(first - (w << 5), last - (w << 5));
      left |= this.bits[start + w]!;
    }
    this.#note(id);
    return left !== 0;
  }

  #restrictRange(id: VariableId, low: number, high: number): boolean {
    const start = this.start[id]!;
    this.bounds[start] = Math.max(this.bounds[start]!, Math.ceil(low));
    this.bounds[start + 1] = Math.min(this.bounds[start + 1]!, Math.floor(high));
    this.#note(id);
    return this.bounds[start]! <= this.bounds[start + 1]!;
  }
}

/** Bits first … last of a word; either may lie outside it. */
function maskBetween(first: number, last: number): number {
  if (first > 31 || last < 0 || first > last) return 0;
  const from = first <= 0 ? -1 : -1 << first;
  const to = last >= 31 ? -1 : ~(-1 << (last + 1));
  return from & to;
}

/** Index of the first value ≥ wanted. */
function lowerBound(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

function populationCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
