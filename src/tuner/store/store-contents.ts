// Lists what lies in a store, and what of it can go: for people, not for builds. Built kernels are made again from their decisions
// without a measurement; decisions and measurements took time on a machine, and stay.

import { readFileSync, statSync } from "node:fs";
import { sha256 } from "../../compiler/index.ts";
import type { SharedDecision } from "./exchange.ts";
import { openEntry } from "./sealed-entry.ts";
import { openStore } from "./store.ts";
import type { StoreEntry } from "./store-entry.ts";
import { storeKey } from "./store-key.ts";

const cacache = () => import("cacache").then((module) => module.default);

export interface StoredItem {
  readonly key: string;
  /** Integrity of the content, as cacache has it. */
  readonly integrity: string;
  /**
   * Kind of the content. `blob`: bytes that artifacts name; `broken`: it is gone, or has other bytes than were put; `unreadable`: it is there,
   * and may be whole: the system did not let us read it, or another version wrote it.
   */
  readonly kind: StoreEntry["kind"] | "blob" | "broken" | "unreadable";
  readonly bytes: number;
  /** Time at which it was put, in milliseconds since 1970. */
  readonly time: number;
  /** Keys of the blobs that an artifact names. */
  readonly names: readonly string[];
  /** Whether it is an entry that this user's builds did not write. */
  readonly isForeign: boolean;
  /** Roles of an artifact's blobs: "addon", "wasm", "code". */
  readonly roles: readonly string[];
}

const blobKey = (digest: string): string => `blob:${digest}`;

/** Lists everything that a key leads to. One file is open at a time: a store may have more than a process may open. */
export async function storedItems(directory: string): Promise<readonly StoredItem[]> {
  const api = await cacache();
  const entries = await api.ls(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return {};
    throw error;
  });
  return Object.values(entries).map(itemOf);
}

interface IndexEntry {
  readonly key: string;
  readonly integrity: string;
  readonly path: string;
  readonly time: number;
}

function itemOf({ key, integrity, path, time }: IndexEntry): StoredItem {
  const item = { key, integrity, bytes: 0, time, names: [], isForeign: false, roles: [] };
  try {
    const bytes = statSync(path).size;
    if (key.startsWith("blob:")) return { ...item, kind: "blob", bytes };
    return { ...item, bytes, ...contentOf(key, readFileSync(path), integrity) };
  } catch (error) {
    return { ...item, kind: (error as NodeJS.ErrnoException).code === "ENOENT" ? "broken" : "unreadable" };
  }
}

function contentOf(
  key: string,
  content: Buffer,
  integrity: string,
): Pick<StoredItem, "kind" | "names" | "isForeign" | "roles"> {
  const nothing = { names: [], isForeign: false, roles: [] };
  const digest = Buffer.from(sha256(content), "hex").toString("base64");
  if (integrity !== `sha256-${digest}`) return { kind: "broken", ...nothing };
  const opened = openEntry(storeKey(), key, content);
  if (!opened) return { kind: "unreadable", ...nothing };
  const { entry, isOurs } = opened;
  const names = entry.kind === "artifact" ? Object.values(entry.blobs).map((blob) => blobKey(blob.sha256)) : [];
  const roles = entry.kind === "artifact" ? Object.keys(entry.blobs) : [];
  return { kind: entry.kind, names, isForeign: !isOurs, roles };
}

/**
 * Returns the decisions that this user's builds measured; predictions cost no measurement to make again.
 *
 * @param onForeign called with the key of each decision that somebody else wrote, and that is left out: it is not ours to pass on
 */
export async function storedDecisions(
  directory: string,
  onForeign?: (key: string) => void,
): Promise<readonly SharedDecision[]> {
  const store = openStore(directory);
  const items = await storedItems(directory);
  const decisions = items
    .filter(({ kind }) => kind === "schedule")
    .map(async ({ key }): Promise<SharedDecision | null> => {
      if ((await store.foreignSchedule(key))?.measured) onForeign?.(key);
      const entry = await store.entry(key);
      if (entry?.kind !== "schedule" || !entry.measured) return null;
      const { candidate, source, measured } = entry;
      return { key, candidate, source, measured };
    });
  return (await Promise.all(decisions)).filter((decision) => decision !== null);
}

/**
 * Returns artifacts that were put before `time`, blobs that none of the other artifacts names, and what is broken. What is unreadable stays,
 * and with it all blobs: it may name any.
 */
export function garbage(items: readonly StoredItem[], time: number): readonly StoredItem[] {
  const isOld = (item: StoredItem): boolean => item.time < time;
  const kept = items.filter((item) => item.kind === "artifact" && !isOld(item));
  const named = new Set(kept.flatMap(({ names }) => names));
  const areNamesKnown = items.every(({ kind }) => kind !== "unreadable");
  return items.filter((item) => {
    // Young blobs stay: a build that is under way has put blobs that no artifact names yet.
    if (item.kind === "blob") return areNamesKnown && isOld(item) && !named.has(item.key);
    return item.kind === "broken" || (item.kind === "artifact" && isOld(item));
  });
}

/**
 * Removes some of all items. Artifacts go before their blobs, so that a build beside this finds all of a kernel, or a miss.
 * Content that another key leads to stays.
 */
export async function removeItems(
  directory: string,
  all: readonly StoredItem[],
  removed: readonly StoredItem[],
): Promise<void> {
  const api = await cacache();
  const kept = new Set(all.filter((item) => !removed.includes(item)).map(({ integrity }) => integrity));
  const blobsLast = [...removed].sort((a, b) => Number(a.kind === "blob") - Number(b.kind === "blob"));
  for (const { key, integrity } of blobsLast) {
    await api.rm.entry(directory, key);
    if (!kept.has(integrity)) await api.rm.content(directory, integrity);
  }
}
