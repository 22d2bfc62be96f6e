// Lists what lies in a store: for people, not for builds. What of it can go is said in `garbage.ts`.

import { statSync } from "node:fs";
import { sha256 } from "../../compiler/index.ts";
import { readRegularFile } from "../../native/file/regular-file.ts";
import { type SharedDecision, sharedDecision } from "./exchange.ts";
import { type IndexedKey, listIndex } from "./list-index.ts";
import { contentPath, digestOfIntegrity } from "./read-cacache.ts";
import { openEntry } from "./sealed-entry.ts";
import { openStore } from "./store.ts";
import type { Provenance, StoreEntry } from "./store-entry.ts";
import { storeKey } from "./store-key.ts";

export interface StoredItem {
  /** The key; of an unreadable part of the index, its path. */
  readonly key: string;
  /** Integrity of the content, as cacache has it; empty for an unreadable part of the index. */
  readonly integrity: string;
  /**
   * Kind of the content. `blob`: bytes that artifacts name; `broken`: it is gone, or has other bytes than were put; `unreadable`: it is there,
   * and may be whole: the system did not let us read it, or another version wrote it.
   */
  readonly kind: StoreEntry["kind"] | "blob" | "broken" | "unreadable";
  readonly bytes: number;
  /** Time at which it was put, in milliseconds since 1970. */
  readonly time: number;
  /** Time of its last put or use, to the day. */
  readonly used: number;
  /** Keys of the blobs that an artifact names. */
  readonly names: readonly string[];
  /** Whether it is an entry that this user's builds did not write. */
  readonly isForeign: boolean;
  /** Where a decision came from that builds of this user did not tune; null: they did, or it is none. */
  readonly from?: Provenance["kind"] | null;
  /** Whether it was taken under a signature. */
  readonly isSigned?: boolean;
  /** Roles of an artifact's blobs: "addon", "wasm", "code". */
  readonly roles: readonly string[];
}

const blobKey = (digest: string): string => `blob:${digest}`;

/** Lists everything that a key leads to. One file is open at a time: a store may have more than a process may open. */
export async function storedItems(directory: string): Promise<readonly StoredItem[]> {
  const { keys, unreadable } = listIndex(directory);
  const unknown = unreadable.map(
    (path): StoredItem => ({
      key: path,
      integrity: "",
      kind: "unreadable",
      bytes: 0,
      time: 0,
      used: 0,
      names: [],
      isForeign: false,
      roles: [],
    }),
  );
  return [...keys.map((key) => itemOf(directory, key)), ...unknown];
}

function itemOf(directory: string, { key, integrity, time, used }: IndexedKey): StoredItem {
  const item = { key, integrity, bytes: 0, time, used, names: [], isForeign: false, roles: [] };
  const digest = digestOfIntegrity(integrity);
  if (digest === null) return { ...item, kind: "unreadable" };
  const path = contentPath(directory, digest);
  try {
    const bytes = statSync(path).size;
    if (key.startsWith("blob:")) return { ...item, kind: "blob", bytes };
    return { ...item, bytes, ...contentOf(key, readRegularFile(path), digest) };
  } catch (error) {
    return { ...item, kind: (error as NodeJS.ErrnoException).code === "ENOENT" ? "broken" : "unreadable" };
  }
}

function contentOf(
  key: string,
  content: Buffer,
  digest: string,
): Pick<StoredItem, "kind" | "names" | "isForeign" | "roles" | "from" | "isSigned"> {
  const nothing = { names: [], isForeign: false, roles: [] };
  if (sha256(content) !== digest) return { kind: "broken", ...nothing };
  const opened = openEntry(storeKey(), key, content);
  if (!opened) return { kind: "unreadable", ...nothing };
  const { entry, isOurs } = opened;
  const names = entry.kind === "artifact" ? Object.values(entry.blobs).map((blob) => blobKey(blob.sha256)) : [];
  const roles = entry.kind === "artifact" ? Object.keys(entry.blobs) : [];
  const from = entry.kind === "schedule" ? entry.from : undefined;
  return {
    kind: entry.kind,
    names,
    isForeign: !isOurs,
    roles,
    from: from?.kind ?? null,
    isSigned: from?.signature !== undefined,
  };
}

/**
 * Returns the decisions that this user's builds measured; predictions cost no measurement to make again.
 *
 * @param onForeign called with the key of each decision that somebody else wrote, and that is left out: it is not ours to pass on
 * @param onUnreadable called with each part of the store that could not be read, and may have more
 */
export async function storedDecisions(
  directory: string,
  onForeign?: (key: string) => void,
  onUnreadable?: (key: string) => void,
): Promise<readonly SharedDecision[]> {
  const store = openStore(directory);
  const items = await storedItems(directory);
  for (const { kind, key } of items) if (kind === "unreadable") onUnreadable?.(key);
  const decisions = items
    .filter(({ kind }) => kind === "schedule")
    .map(async ({ key }): Promise<SharedDecision | null> => {
      if ((await store.foreignSchedule(key))?.measured) onForeign?.(key);
      const entry = await store.entry(key);
      return entry?.kind === "schedule" ? sharedDecision(key, entry) : null;
    });
  return (await Promise.all(decisions)).filter((decision) => decision !== null);
}
