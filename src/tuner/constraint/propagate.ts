// The propagation loop: runs the propagators that a change woke, until nothing changes or a domain is empty.

import type { Domain } from "./constraint.ts";
import { DomainStore } from "./domain-store.ts";
import type { NormalConstraint, NormalModel, PairConstraint } from "./normal-form.ts";
import { guardedPropagator } from "./propagator/guarded.ts";
import { linearPropagator } from "./propagator/linear.ts";
import { notEqualPropagator } from "./propagator/not-equal.ts";
import { pairBoundsPropagator } from "./propagator/pair-bounds.ts";
import { mostTableEntries, pairTablePropagator } from "./propagator/pair-table.ts";
import type { Propagator } from "./propagator/propagator.ts";
import { selectPropagator } from "./propagator/select.ts";

export class Engine {
  readonly store: DomainStore;
  readonly #propagators: readonly Propagator[];
  /** Propagators of each variable. */
  readonly #watchers: readonly (readonly number[])[];
  /** A ring: each propagator is in it at most once. */
  readonly #queue: Int32Array;
  readonly #queued: Uint8Array;
  #head = 0;
  #count = 0;

  /** `domains`: those of the model's variables, as far as they are known to have shrunk. */
  constructor(model: NormalModel, domains: readonly Domain[]) {
    this.store = new DomainStore(domains);
    this.#propagators = model.constraints.map((constraint) => propagatorOf(this.store, constraint));
    this.#queue = new Int32Array(this.#propagators.length);
    this.#queued = new Uint8Array(this.#propagators.length);
    const watchers: number[][] = domains.map(() => []);
    this.#propagators.forEach(({ variables }, at) => {
      for (const id of new Set(variables)) watchers[id]!.push(at);
    });
    this.#watchers = watchers;
  }

  /** Runs every propagator at least once. False: there is no solution. */
  propagateAll(): boolean {
    for (let at = 0; at < this.#propagators.length; at++) this.#enqueue(at);
    return this.#run();
  }

  /** Runs those that the changes made since the last run concern. False: no solution; the state is then rubbish. */
  propagate(): boolean {
    this.#wake();
    return this.#run();
  }

  #run(): boolean {
    while (this.#count > 0) {
      const at = this.#queue[this.#head]!;
      this.#head = (this.#head + 1) % this.#queue.length;
      this.#count--;
      const { run, idempotent } = this.#propagators[at]!;
      if (!idempotent) this.#queued[at] = 0;
      if (!run()) return this.#fail();
      this.#wake();
      this.#queued[at] = this.#queued[at]! & (idempotent ? 0 : 1);
    }
    return true;
  }

  #fail(): false {
    this.#queued.fill(0);
    this.#head = 0;
    this.#count = 0;
    this.store.changed.length = 0;
    return false;
  }

  #wake(): void {
    const { changed } = this.store;
    for (let k = 0; k < changed.length; k++) for (const at of this.#watchers[changed[k]!]!) this.#enqueue(at);
    changed.length = 0;
  }

  #enqueue(at: number): void {
    if (this.#queued[at] === 1) return;
    this.#queued[at] = 1;
    this.#queue[(this.#head + this.#count++) % this.#queue.length] = at;
  }
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

function hasTable(store: DomainStore, { a, b, result }: PairConstraint): boolean {
  const [aValues, bValues, resultValues] = [store.values[a], store.values[b], store.values[result]];
  if (!aValues || !bValues || !resultValues) return false;
  return aValues.length * bValues.length <= mostTableEntries && resultValues.length < 1 << 15;
}
