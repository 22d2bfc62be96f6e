// The word that `prefetch` leaves at a loop, until the lowering makes hints of it: `prefetch B: 4`, the lines of B that
// the iteration four ahead touches.

import type { For } from "../ir/loop-ir.ts";
import { updateFor } from "../ir/update.ts";

const prefix = "prefetch ";

export const prefetchWord = (buffer: string): string => `${prefix}${buffer}`;

export interface PrefetchWord {
  readonly buffer: string;
  /** Distance in iterations of the loop. */
  readonly distance: number;
}

export const prefetchesAt = ({ annotations }: For): readonly PrefetchWord[] =>
  Object.entries(annotations).flatMap(([word, distance]) =>
    word.startsWith(prefix) ? [{ buffer: word.slice(prefix.length), distance }] : [],
  );

export function withoutPrefetches(loop: For): For {
  if (prefetchesAt(loop).length === 0) return loop;
  const others = Object.entries(loop.annotations).filter(([word]) => !word.startsWith(prefix));
  return updateFor(loop, { annotations: Object.fromEntries(others) });
}
