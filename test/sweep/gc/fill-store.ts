// A store with many decisions and some kernels, as builds of years leave it.

import { sha256 } from "../../../src/compiler/index.ts";
import { putBlobs, textBlob } from "../../../src/tuner/store/blobs.ts";
import { openStore } from "../../../src/tuner/store/store.ts";
import type { ScheduleEntry } from "../../../src/tuner/store/store-entry.ts";

export const decisionKey = (at: number): string => sha256(`decision ${at}`);

export const decisionOf = (at: number): ScheduleEntry => ({
  kind: "schedule",
  schema: 1,
  candidate: { template: "plain", assignment: { "C.i.unroll": at } },
  source: sha256(`source ${at}`),
  measured: { medianNs: 1, gflops: 1, machine: "m", toolchain: "t", trials: 1 },
});

/** Puts `decisions` decisions and a tenth as many kernels. */
export async function fillStore(directory: string, decisions: number): Promise<void> {
  const store = openStore(directory);
  const together = 16;
  for (let at = 0; at < decisions; at += together) {
    const some = Array.from({ length: Math.min(together, decisions - at) }, (_, offset) => at + offset);
    await Promise.all(some.map((number) => store.putEntry(decisionKey(number), decisionOf(number))));
  }
  for (let at = 0; at < decisions / 10; at++) {
    const key = sha256(`kernel ${at}`);
    await putBlobs(store, key, { addon: textBlob(`old ${at}`), facts: textBlob("{}") });
  }
}
