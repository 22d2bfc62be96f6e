// Seeded random numbers: every random choice of a tuning comes from one seed, passed along and forked.
// xoshiro128** 1.1 (Blackman and Vigna, https://prng.di.unimi.it), its state filled by splitmix32.

export interface Rng {
  /** Returns an integer, uniform in [0, 2³²). */
  readonly next: () => number;
  /** Returns a number, uniform in [0, 1), with 32 random bits. */
  readonly unit: () => number;
  /** Returns an integer, uniform in [0, limit); limit ≥ 1. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  /** Returns a new array in random order. */
  readonly shuffle: <T>(items: readonly T[]) => T[];
  /** Makes an independent stream. What is drawn from it later does not move this one. */
  readonly fork: () => Rng;
}

/** Makes a generator. The same seed (an integer) gives the same numbers for ever. */
export function createRng(seed: number): Rng {
  const next = xoshiro128(seed);
  const unit = (): number => next() / 2 ** 32;
  const below = (limit: number): number => Math.floor(unit() * limit);
  return {
    next,
    unit,
    below,
    pick: (items) => items[below(items.length)]!,
    shuffle: (items) => shuffled(items, below),
    fork: () => createRng(next()),
  };
}

function shuffled<T>(items: readonly T[], below: (limit: number) => number): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

function xoshiro128(seed: number): () => number {
  const split = splitmix32(seed);
  let [a, b, c, d] = [split(), split(), split(), split()];
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
