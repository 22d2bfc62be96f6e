// Improvements of the best in a tuning, from measurement to measurement, and the reason why it ended.

import { type Measurement, searchedNs } from "../data/measurement.ts";
import type { ConvergenceRun } from "../report/convergence.ts";

/**
 * Reason why a tuning ended. "budget": its seconds or trials are spent. "converged": the best hardly improved, or the strategy
 * proposed nothing new. "exhausted": the strategy proposed nothing at all, as where nothing is left to try.
 */
export type TuningEnd = "budget" | "converged" | "exhausted";

/** A measurement as the history keeps it. */
interface Noted {
  readonly measurement: Measurement;
  /** Milliseconds since the tuning started. */
  readonly elapsedMs: number;
}

/** History of a tuning at its end. */
export interface HistorySummary {
  /** Number of candidates measured now. */
  readonly measured: number;
  readonly ended: TuningEnd;
  /** Improvements of the best among the candidates measured now. */
  readonly history: ConvergenceRun;
}

export interface TuningHistory {
  add(trial: Noted): void;
  hasRun(): boolean;
  /** Returns the number of trials added. */
  trials(): number;
  /** Notes why the tuning ended, and after how many milliseconds. Returns false, as `advance` does at the end. */
  end(reason: TuningEnd, elapsedMs: number): false;
  /** Summarises the tuning; one whose `end` was not called counts as ended by its budget. */
  summary(): HistorySummary;
}

export function startHistory(): TuningHistory {
  const improvements: [trial: number, elapsedMs: number, ns: number][] = [];
  let trials = 0;
  let ended: TuningEnd = "budget";
  let stopped: ConvergenceRun["stopped"] = null;
  return {
    add({ measurement, elapsedMs }) {
      trials += 1;
      const ns = searchedNs(measurement);
      const bestNs = improvements.at(-1)?.[2] ?? Number.POSITIVE_INFINITY;
      if (ns !== null && ns < bestNs) improvements.push([trials, elapsedMs, ns]);
    },
    hasRun: () => improvements.length > 0,
    trials: () => trials,
    end(reason, elapsedMs) {
      ended = reason;
      stopped = reason === "budget" ? null : { trial: trials, elapsedMs };
      return false;
    },
    summary: () => ({ measured: trials, ended, history: { improvements, stopped } }),
  };
}
