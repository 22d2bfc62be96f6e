// What a page has found out about a kernel on its visitor's GPU, kept for the next visit: by kernel, adapter and browser version. Where there
// is no IndexedDB, or the visitor forbids it, nothing is kept.

import { wallClockMs } from "../../../native/machine/clock.ts";

/** Outcome of a trial: the place of the fastest schedule, or null and why the twin answers. */
export interface Choice {
  readonly schedule: number | null;
  readonly reason: string | null;
}

interface Kept extends Choice {
  readonly at: number;
}

const database = "unplugin-kernel";
const table = "gpu-choices";
/** A driver may be better, or another load lighter, after a month. */
const longestMs = 30 * 24 * 3_600_000;

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Does something with the table; null where that fails. */
async function withTable<T>(mode: IDBTransactionMode, act: (all: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  try {
    const opening = globalThis.indexedDB.open(database, 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore(table);
    const opened = await answerOf(opening);
    try {
      return await answerOf(act(opened.transaction(table, mode).objectStore(table)));
    } finally {
      opened.close();
    }
  } catch {
    return null;
  }
}

/** Key of a kernel's texts on an adapter; null: this realm makes none. */
export async function choiceKey(texts: readonly string[], adapter: string): Promise<string | null> {
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(texts));
    const digest = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${hex} ${adapter} ${globalThis.navigator.userAgent}`;
  } catch {
    return null;
  }
}

/** Returns what was found out; null: nothing, or too long ago. */
export async function recall(key: string): Promise<Choice | null> {
  const kept = (await withTable("readonly", (all) => all.get(key))) as Kept | null | undefined;
  return kept && wallClockMs() - kept.at < longestMs ? { schedule: kept.schedule, reason: kept.reason } : null;
}

export const remember = async (key: string, choice: Choice): Promise<void> =>
  void (await withTable("readwrite", (all) => all.put({ ...choice, at: wallClockMs() } satisfies Kept, key)));
