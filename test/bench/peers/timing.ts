// Timings that no library has beside ours: calls from JavaScript, and builds. One is kept as it is measured, with its
// bar.

import { appendLine, attemptsBy, readLines } from "../json-lines.ts";
import type { Measured } from "../provenance.ts";
import type { Spread } from "./contest.ts";

export const timingSuites = ["call-overhead", "build-time"] as const;
export type TimingSuite = (typeof timingSuites)[number];

export interface Timing extends Measured {
  readonly suite: TimingSuite;
  readonly name: string;
  readonly cpu: string;
  /** Major version. */
  readonly node: number;
  readonly unit: "ns" | "ms";
  readonly time: Spread;
  /** The bar for the median. Null: there is none. */
  readonly atMost: number | null;
  /** Attempts before this one, the oldest first; as they are read. */
  readonly earlier?: readonly Timing[];
}

/** Timing of a suite, without the place where it was measured. */
export type Timed = Pick<Timing, "name" | "unit" | "time" | "atMost">;

const keyOf = ({ suite, name, cpu, node }: Timing): string => [suite, name, cpu, node].join(" ");

/** Reads the timings; of each name the last one counts, and has its earlier attempts with it. */
export const readTimings = (path: string): readonly Timing[] =>
  attemptsBy(readLines<Timing>(path), keyOf).map((all) => ({ ...all.at(-1)!, earlier: all.slice(0, -1) }));

export const appendTiming = (path: string, timing: Timing): void => appendLine(path, timing);

/** @example timingText({ unit: "ns", time: { low: 24, median: 25.1, high: 31 }, … }) // "25 (24 … 31) ns" */
export function timingText({ time, unit }: Timed): string {
  const [low, median, high] = [time.low, time.median, time.high].map(roundedText);
  return `${median} (${low} … ${high}) ${unit}`;
}

const roundedText = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** @example attemptsText(…) // "3: 27 … 41 ms", the medians of all attempts; "1" where there is only one */
export function attemptsText({ earlier = [], time, unit }: Timing): string {
  const medians = [...earlier.map((attempt) => attempt.time.median), time.median];
  if (medians.length === 1) return "1";
  const [least, most] = [Math.min(...medians), Math.max(...medians)].map(roundedText);
  return `${medians.length}: ${least} … ${most} ${unit}`;
}

export const isMissed = ({ time, atMost }: Timed): boolean => atMost !== null && time.median > atMost;

export const verdictText = (timed: Timed): string =>
  timed.atMost === null ? "" : `at most ${timed.atMost} ${timed.unit}: ${isMissed(timed) ? "**missed**" : "met"}`;
