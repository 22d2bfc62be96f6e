// A process that uses a store until its time is over: a writer puts kernels and decisions, a reader reads what was there at first. Says
// at its end, in a line of JSON, what it did and what was wrong.

import { sha256 } from "../../../src/compiler/index.ts";
import { blobsAt, putBlobs, textBlob } from "../../../src/tuner/store/blobs.ts";
import { openStore } from "../../../src/tuner/store/store.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { decisionKey, decisionOf } from "./fill-store.ts";

export interface UserReport {
  readonly role: string;
  readonly hits: number;
  readonly misses: number;
  /** Keys of decisions that this writer put. */
  readonly put: readonly string[];
  readonly errors: readonly string[];
}

/**
 * @param many number of decisions that were there at first
 * @param name tells writers apart
 */
export async function useStore(
  role: "writer" | "reader",
  directory: string,
  many: number,
  name: string,
  milliseconds: number,
): Promise<UserReport> {
  const rng = createRng(Number.parseInt(sha256(name).slice(0, 8), 16));
  const store = openStore(directory);
  const until = Date.now() + milliseconds;
  const put: string[] = [];
  const errors: string[] = [];
  let [hits, misses] = [0, 0];
  for (let at = 0; Date.now() < until; at++) {
    try {
      if (role === "writer") {
        const key = sha256(`${name} ${at}`);
        const warning =
          (await store.putEntry(key, decisionOf(at))) ??
          // Kernels of all writers have the same blobs, so that one puts what the collector is about to remove.
          (await putBlobs(store, sha256(`kernel ${at % 50}`), {
            addon: textBlob(`shared ${at % 50}`),
            facts: textBlob("{}"),
          }));
        if (warning === null) put.push(key);
        else errors.push(warning);
      } else {
        const number = rng.below(many);
        const entry = await store.entry(decisionKey(number));
        if (entry?.kind === "schedule" && entry.source === decisionOf(number).source) hits += 1;
        else errors.push(`decision ${number} is a miss`);
        const kernel = await blobsAt(store, sha256(`kernel ${rng.below(50)}`));
        if (kernel === null) misses += 1;
        else if (!kernel.addon || !kernel.facts) errors.push("a kernel lacks a part");
        else hits += 1;
      }
    } catch (error) {
      errors.push(String(error));
    }
  }
  return { role, hits, misses, put, errors };
}
