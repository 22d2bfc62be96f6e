// What concerns all kernels of a build has one cause, and is said once: by the kernel that meets it first.

import type { BuildTunings } from "../build/build-tunings.ts";

/** What is said once a build. */
export type Topic =
  /** The store, or the records of a search, cannot be written. */
  | "store"
  | "records"
  /** The store lies where others may write, or is large. */
  | "place"
  | "size"
  /** Kernels of the lock are older than the plugin: they are tuned again, get a rung of the ladder, or are an error. */
  | "tuned again"
  | `older, ${string}`
  | "frozen";

export interface Saying {
  readonly tunings: Pick<BuildTunings, "told">;
  readonly log: { warn(line: string): void };
}

/** Says whether a build meets the topic for the first time. */
export function isFirst({ told }: Saying["tunings"], topic: Topic): boolean {
  const isNew = !told.has(topic);
  told.add(topic);
  return isNew;
}

export function warnOnce({ tunings, log }: Saying, topic: Topic, line: string): void {
  if (isFirst(tunings, topic)) log.warn(line);
}
