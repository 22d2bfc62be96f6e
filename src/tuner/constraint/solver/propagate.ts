// The propagation loop: runs the propagators that a change woke, until nothing changes or a domain is empty.

import type { Domain } from "../constraint.ts";
import { DomainStore } from "../domain-store.ts";
import type { NormalConstraint, NormalModel, PairConstraint } from "../normal-form.ts";
import { guardedPropagator } from "../propagator/guarded.ts";
import { linearPropagator } from "../propagator/linear.ts";
import { notEqualPropagator } from "../propagator/not-equal.ts";
import { pairBoundsPropagator } from "../propagator/pair-bounds.ts";
import { mostTableEntries, pairTablePropagator } from "../propagator/pair-table.ts";
import type { Propagator } from "../propagator/propagator.ts";
import { selectPropagator } from "../propagator/select.ts";

export class Engine {
  readonly store: DomainStore;
  readonly #propagators: readonly Propagator[];
  /** Propagators of each variable. */
  #watchers: readonly Int32Array[];
  /**
   * Queues of cheap and of costly propagators. The costly ones run only when no other has work: never for states that
   * others refute.
   */
  readonly #queues: readonly [Queue, Queue];
  readonly #rank: Uint8Array;
  readonly #queued: Uint8Array;

  /** `domains`: domains of the model's variables, as far as they are known to have shrunk. */
  constructor(model: NormalModel, domains: readonly Domain[]) {
    this.store = new DomainStore(domains);
    this.#propagators = model.constraints.map((constraint) => propagatorOf(this.store, constraint));
    this.#queues = [new Queue(this.#propagators.length), new Queue(this.#propagators.length)];
    this.#rank = Uint8Array.from(model.constraints, (constraint) => (isCostly(this.store, constraint) ? 1 : 0));
    this.#queued = new Uint8Array(this.#propagators.length);
    const watchers: number[][] = domains.map(() => []);
    this.#propagators.forEach(({ variables }, at) => {
      for (const id of new Set(variables)) watchers[id]!.push(at);
    });
    this.#watchers = watchers.map((list) => Int32Array.from(list));
  }

  /** Runs every propagator at least once. Returns false if there is no solution. */
  propagateAll(): boolean {
    for (let at = 0; at < this.#propagators.length; at++) this.#enqueue(at);
    return this.#run();
  }

  /** Drops propagators that hold for all further decisions: for states that only shrink. */
  retireEntailed(): void {
    const isEntailed = (at: number): boolean => {
      const { variables, isEntailed } = this.#propagators[at]!;
      return variables.every((id) => this.store.isFixed(id)) || isEntailed?.() === true;
    };
    const entailed = this.#propagators.map((_, at) => isEntailed(at));
    this.#watchers = this.#watchers.map((list) => list.filter((at) => !entailed[at]));
  }

  /**
   * Runs the propagators woken by changes since the last run. Returns false if there is no solution; the state is then
   * invalid.
   */
  propagate(): boolean {
    this.#wake();
    return this.#run();
  }

  #run(): boolean {
    const [first, second] = this.#queues;
    for (;;) {
      const at = first.count > 0 ? first.take() : second.count > 0 ? second.take() : -1;
      if (at < 0) return true;
      const { run, idempotent } = this.#propagators[at]!;
      if (!idempotent) this.#queued[at] = 0;
      if (!run()) return this.#fail();
      this.#wake();
      this.#queued[at] = this.#queued[at]! & (idempotent ? 0 : 1);
    }
  }

  #fail(): false {
    this.#queued.fill(0);
    for (const queue of this.#queues) queue.clear();
    this.store.forgetChanges();
    return false;
  }

  #wake(): void {
    const { changed, changes } = this.store;
    for (let k = 0; k < changes; k++) {
      const watchers = this.#watchers[changed[k]!]!;
      for (let j = 0; j < watchers.length; j++) this.#enqueue(watchers[j]!);
    }
    this.store.forgetChanges();
  }

  #enqueue(at: number): void {
    if (this.#queued[at] === 1) return;
    this.#queued[at] = 1;
    this.#queues[this.#rank[at] === 1 ? 1 : 0].put(at);
  }
}

/** A ring of propagators, each in it at most once. */
class Queue {
  readonly #ring: Int32Array;
  #head = 0;
  count = 0;

  constructor(size: number) {
    this.#ring = new Int32Array(size);
  }

  put(at: number): void {
    const end = this.#head + this.count++;
    this.#ring[end < this.#ring.length ? end : end - this.#ring.length] = at;
  }

  take(): number {
    const at = this.#ring[this.#head]!;
    this.#head = this.#head + 1 === this.#ring.length ? 0 : this.#head + 1;
    this.count--;
    return at;
  }

  clear(): void {
    this.count = 0;
  }
}

/** Says whether a constraint has a large table, so that it is propagated after the others. */
function isCostly(store: DomainStore, constraint: NormalConstraint): boolean {
  if (constraint.kind !== "pair") return false;
  const [first, second] = [store.values[constraint.a], store.values[constraint.b]];
  return !first || !second || first.length * second.length > 200;
}

function propagatorOf(store: DomainStore, constraint: NormalConstraint): Propagator {
  switch (constraint.kind) {
    case "pair":
      return hasTable(store, constraint)
        ? pairTablePropagator(store, constraint)
        : pairBoundsPropagator(store, constraint);
    case "linear":
      return linearPropagator(store, constraint);
    case "not-equal":
      return notEqualPropagator(store, constraint);
    case "select":
      return selectPropagator(store, constraint);
    case "guarded":
      return guardedPropagator(store, constraint);
  }
}

/** Most pairs of a sum that is a table. Sums of more values end in limits, for which bounds prune as much. */
const mostSumEntries = 1 << 10;

function hasTable(store: DomainStore, { function: fn, a, b, result }: PairConstraint): boolean {
  const [aValues, bValues, resultValues] = [store.values[a], store.values[b], store.values[result]];
  if (!aValues || !bValues || !resultValues) return false;
  const most = fn.kind === "sum" ? mostSumEntries : mostTableEntries;
  return aValues.length * bValues.length <= most && resultValues.length < 1 << 15;
}
