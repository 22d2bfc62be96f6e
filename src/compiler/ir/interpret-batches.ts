// Batches of boxes as a watched run counts them, thread by thread: they order accesses of the slots that they fill, as barriers do. A batch comes
// before all that a thread does once it has waited for it. It comes behind what threads have done with its slot once all have released that, and
// the thread that asks for its boxes has waited for it.

export interface Batches {
  /** Batches that the thread has ended, waited for, and released. */
  readonly filled: number;
  readonly awaited: number;
  readonly released: number;
  /** Batches whose slots it has waited for. */
  readonly freed: number;
}

export const noBatches: Batches = { filled: 0, awaited: 0, released: 0, freed: 0 };

/** An access of a slot, with the counts at that time, and its thread, whose counts go on. */
export interface SlotAccess {
  readonly isStore: boolean;
  readonly batches: Batches;
  readonly thread: { readonly batches: Batches };
}

/**
 * Says whether batches order two accesses of a slot between two barriers. Boxes may be asked for by a thread that computes nothing, so that a
 * thread's own loads are not before them for coming first. The last batch that a thread has waited for is the one that it reads.
 */
export function areInTurn(earlier: SlotAccess, later: SlotAccess, slots: number): boolean {
  if (!later.isStore) return later.batches.awaited > earlier.batches.filled;
  const free = later.batches.freed - slots;
  if (earlier.isStore) return earlier.batches.filled < free;
  return earlier.batches.awaited <= Math.min(free, earlier.thread.batches.released);
}
