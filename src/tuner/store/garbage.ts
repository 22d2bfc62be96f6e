// What of a store can go, and its removal. Built kernels are made again from their decisions without a measurement; decisions and
// measurements took time on a machine, and stay.

import { findLine } from "./read-cacache.ts";
import type { StoredItem } from "./store-contents.ts";

const cacache = () => import("cacache").then((module) => module.default);

/** Age below which nothing that no key leads to is removed: a build that is under way may be about to name it. */
export const youngMs = 3_600_000;

export interface Limits {
  /** Kernels that were last used before this time go, in milliseconds since 1970. */
  readonly usedBefore: number;
  /** Bytes that the store may have: kernels go until it has no more, those first that were not used for longest. */
  readonly mostBytes?: number;
  /** Now, in milliseconds since 1970. */
  readonly now: number;
}

/** Counts the bytes of what the items lead to, each content once. */
export const totalBytes = (items: readonly StoredItem[]): number =>
  [...new Map(items.map((item) => [item.integrity, item])).values()].reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Returns artifacts that are to go, blobs that none of the other artifacts names, and what is broken. What is unreadable stays, and with it
 * all blobs: it may name any. Then nothing goes for its size, as the blobs are what has size.
 */
export function garbage(items: readonly StoredItem[], limits: Limits): readonly StoredItem[] {
  const { usedBefore, mostBytes = Number.POSITIVE_INFINITY } = limits;
  const areNamesKnown = items.every(({ kind }) => kind !== "unreadable");
  const byUse = items.filter(({ kind }) => kind === "artifact").sort((a, b) => a.used - b.used);
  const old = byUse.filter(({ used }) => used < usedBefore).length;
  const broken = items.filter(({ kind }) => kind === "broken");
  const without = (count: number): readonly StoredItem[] => [
    ...broken,
    ...byUse.slice(0, count),
    ...(areNamesKnown ? looseBlobs(items, byUse.slice(0, count), byUse.slice(count), limits.now) : []),
  ];
  const fits = (count: number): boolean => bytesWithout(items, without(count)) <= mostBytes;
  // The fewest that make it fit, by halves: what an artifact frees depends on whether others name its blobs.
  let [low, high] = [old, areNamesKnown ? byUse.length : old];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return without(low);
}

/**
 * Returns blobs that no kept artifact names. Those that no artifact ever named, or that were put again since, stay while they are young: a
 * build that is under way has put blobs that no artifact names yet.
 */
function looseBlobs(
  items: readonly StoredItem[],
  gone: readonly StoredItem[],
  kept: readonly StoredItem[],
  now: number,
): readonly StoredItem[] {
  const named = new Set(kept.flatMap(({ names }) => names));
  const publishedAt = new Map<string, number>();
  for (const { names, time } of gone)
    for (const name of names) publishedAt.set(name, Math.max(time, publishedAt.get(name) ?? 0));
  return items.filter(({ kind, key, time }) => {
    if (kind !== "blob" || named.has(key)) return false;
    return time < now - youngMs || time <= (publishedAt.get(key) ?? Number.NEGATIVE_INFINITY);
  });
}

function bytesWithout(items: readonly StoredItem[], gone: readonly StoredItem[]): number {
  const out = new Set(gone);
  return totalBytes(items.filter((item) => !out.has(item)));
}

/**
 * Removes some of all items; returns those that the system did not let us remove. Artifacts go before their blobs, so that a build beside this
 * finds all of a kernel, or a miss. What was put again meanwhile stays, and so does content that another key leads to.
 */
export async function removeItems(
  directory: string,
  all: readonly StoredItem[],
  removed: readonly StoredItem[],
): Promise<readonly StoredItem[]> {
  const api = await cacache();
  const out = new Set(removed);
  const kept = new Set(all.filter((item) => !out.has(item)).map(({ integrity }) => integrity));
  const blobsLast = [...removed].sort((a, b) => Number(a.kind === "blob") - Number(b.kind === "blob"));
  const refused: StoredItem[] = [];
  for (const item of blobsLast) {
    const { key, integrity, time } = item;
    const now = findLine(directory, key);
    if (now?.integrity !== integrity || now.time !== time) continue;
    try {
      await api.rm.entry(directory, key);
      if (!kept.has(integrity)) await api.rm.content(directory, integrity);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      refused.push(item);
    }
  }
  return refused;
}
