// Facts at the place of an expression: ranges of the loop variables around it, and of sums in the conditions around it.
// A linked list, the innermost first: entering a loop costs one link, and nests are not deep.

import type { Affine } from "./affine.ts";
import { type Interval, intersect, unbounded } from "./interval.ts";
import type { Expr, For } from "./loop-ir.ts";

export interface Range extends Interval {
  /** Whether the variable counts the lanes of vectors: it stays in the code even where conditions leave it one value. */
  readonly isLane: boolean;
}

/** Nodes that were simplified already, linear forms and answers that were found. */
export interface Memory {
  readonly simple: Map<Expr, Expr>;
  readonly forms: Map<Expr, Affine>;
  /** Whether a node is arithmetic on variables and constants alone. */
  readonly arithmetic: Map<Expr, boolean>;
}

/**
 * Ranges by name of variable. A key that `termsKey` gave for several terms (or for an atom that is no variable) is a fact
 * about that sum.
 */
export class Ranges {
  /** Whether there are facts about more than variables. Few functions have any, and looking for them takes time. */
  readonly hasFacts: boolean;
  /** Results kept for the nodes of a large expression at this place; null for a small one. */
  readonly memory: Memory | null;
  readonly #outer: Ranges | null;
  readonly #key: string;
  readonly #range: Range;

  constructor(outer: Ranges | null, key: string, range: Range, hasFacts: boolean, memory: Memory | null = null) {
    this.hasFacts = hasFacts;
    this.memory = memory;
    this.#outer = outer;
    this.#key = key;
    this.#range = range;
  }

  get(key: string): Range | undefined {
    for (let scope: Ranges = this; scope.#outer; scope = scope.#outer) if (scope.#key === key) return scope.#range;
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }
}

const noRange: Range = { ...unbounded, isLane: false };

export const noRanges = new Ranges(null, "", noRange, false);

/** The same ranges, for all nodes of one large expression. */
export const withMemory = (ranges: Ranges): Ranges =>
  new Ranges(ranges, "", noRange, ranges.hasFacts, { simple: new Map(), forms: new Map(), arithmetic: new Map() });

export const withRange = (ranges: Ranges, name: string, min: number, max: number): Ranges =>
  new Ranges(ranges, name, { min, max, isLane: false }, ranges.hasFacts);

/** Ranges of the variables of these loops (or axes), inside of `around`. */
export const rangesOf = (loops: readonly Pick<For, "name" | "extent">[], around: Ranges = noRanges): Ranges =>
  loops.reduce((ranges, { name, extent }) => withRange(ranges, name, 0, extent - 1), around);

/** The ranges inside a loop. */
export const insideLoop = (ranges: Ranges, { name, extent, mark }: Pick<For, "name" | "extent" | "mark">): Ranges =>
  new Ranges(ranges, name, { min: 0, max: extent - 1, isLane: mark === "vectorized" && extent > 1 }, ranges.hasFacts);

/** `about`: what the key stands for. */
export function withFact(ranges: Ranges, key: string, interval: Interval, about: "variable" | "sum"): Ranges {
  const known = ranges.get(key);
  const { min, max } = intersect(known ?? unbounded, interval);
  const isLane = known?.isLane ?? false;
  return new Ranges(ranges, key, { min, max, isLane }, ranges.hasFacts || about === "sum");
}
