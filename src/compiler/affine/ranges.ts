// Facts at the place of an expression: ranges of the loop variables around it, and of sums in the conditions around it.
// A linked list, the innermost first: entering a loop costs one link, and nests are not deep.

import { type Interval, intersect, isEmpty, unbounded } from "./interval.ts";
import type { Language, LinearTerm } from "./language.ts";
import { termsKey } from "./linear-form.ts";

export interface Range extends Interval {
  /** Whether the variable counts the lanes of vectors: it stays in the code even where conditions leave it one value. */
  readonly isLane: boolean;
}

/** Bounds of a sum of terms that a condition gives. */
export interface SumFact<Node> extends Interval {
  readonly terms: readonly LinearTerm<Node>[];
}

/**
 * Ranges by name of variable. A key that `termsKey` gave for several terms (or for an atom that is no variable) is a fact
 * about that sum.
 */
export class Ranges<Node, Memory = never> {
  /** Whether there are facts about more than variables. Few functions have any, and looking for them takes time. */
  readonly hasFacts: boolean;
  /** Results that somebody keeps for the nodes of a large expression at this place; null for a small one. */
  readonly memory: Memory | null;
  readonly #outer: Ranges<Node, Memory> | null;
  readonly #key: string;
  readonly #range: Range;
  /** The terms that the range is about; null: it is a variable's own. */
  readonly #terms: readonly LinearTerm<Node>[] | null;
  /** The answers of `withoutSums` and `withoutFacts`. Bounds are remembered by place, so the same question has to give the same place. */
  #simple: Ranges<Node, Memory> | null = null;
  #open: Ranges<Node, Memory> | null = null;

  constructor(
    outer: Ranges<Node, Memory> | null,
    key: string,
    range: Range,
    hasFacts: boolean,
    terms: readonly LinearTerm<Node>[] | null = null,
    memory: Memory | null = null,
  ) {
    this.hasFacts = hasFacts;
    this.memory = memory;
    this.#outer = outer;
    this.#key = key;
    this.#range = range;
    this.#terms = terms;
  }

  get(key: string): Range | undefined {
    for (let scope: Ranges<Node, Memory> = this; scope.#outer; scope = scope.#outer)
      if (scope.#key === key) return scope.#range;
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** The same ranges, with a memory for all nodes of one large expression. */
  remembering(memory: Memory): Ranges<Node, Memory> {
    return new Ranges(this, "", anything, this.hasFacts, null, memory);
  }

  /** All facts that conditions gave, the innermost first; of those about the same terms the innermost, which implies the others. */
  facts(): readonly SumFact<Node>[] {
    const found = new Map<string, SumFact<Node>>();
    for (let scope: Ranges<Node, Memory> = this; scope.#outer; scope = scope.#outer) {
      const { min, max } = scope.#range;
      if (scope.#terms && !found.has(scope.#key)) found.set(scope.#key, { terms: scope.#terms, min, max });
    }
    return [...found.values()];
  }

  /** Says whether some variable or sum is known to have no value. */
  someIsEmpty(): boolean {
    return isEmpty(this.#range) || (this.#outer?.someIsEmpty() ?? false);
  }

  /** The ranges without the facts about sums of several terms. */
  withoutSums(): Ranges<Node, Memory> {
    this.#simple ??= this.#filtered((terms) => terms === null || terms.length < 2, this.hasFacts);
    return this.#simple;
  }

  /** The ranges of variables alone. */
  withoutFacts(): Ranges<Node, Memory> {
    this.#open ??= this.#filtered((terms) => terms === null, false);
    return this.#open;
  }

  #filtered(isKept: (terms: readonly LinearTerm<Node>[] | null) => boolean, hasFacts: boolean): Ranges<Node, Memory> {
    if (!this.hasFacts || !this.#outer) return this;
    const rest = this.#outer.#filtered(isKept, hasFacts);
    if (!isKept(this.#terms)) return rest;
    const isSame = rest === this.#outer && hasFacts === this.hasFacts && this.memory === null;
    return isSame ? this : new Ranges(rest, this.#key, this.#range, hasFacts, this.#terms);
  }
}

const anything: Range = { ...unbounded, isLane: false };

/** The place of which nothing is known. */
export const noRanges = <Node, Memory = never>(): Ranges<Node, Memory> => new Ranges(null, "", anything, false);

export const withRange = <Node, Memory>(
  ranges: Ranges<Node, Memory>,
  name: string,
  { min, max }: Interval,
  isLane = false,
): Ranges<Node, Memory> => new Ranges(ranges, name, { min, max, isLane }, ranges.hasFacts);

/** The ranges where the sum of the terms is known to be in the interval. */
export function withFact<Node, Memory>(
  language: Language<Node>,
  ranges: Ranges<Node, Memory>,
  terms: readonly LinearTerm<Node>[],
  interval: Interval,
): Ranges<Node, Memory> {
  const key = termsKey(language, terms);
  const known = ranges.get(key);
  const { min, max } = intersect(known ?? unbounded, interval);
  const isVariable = terms.length === 1 && language.isVariable(terms[0]!.atom);
  const range: Range = { min, max, isLane: known?.isLane ?? false };
  return new Ranges(ranges, key, range, ranges.hasFacts || !isVariable, isVariable ? null : terms);
}
