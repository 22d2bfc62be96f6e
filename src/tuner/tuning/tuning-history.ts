// Improvements of the best in a tuning, from measurement to measurement, and the reason why it ended.

import { searchedNs } from "../data/measurement.ts";
import type { ConvergenceRun } from "../report/convergence.ts";
import type { TimedTrial, TuneResult, TuningEnd } from "./tuning.ts";

export interface TuningHistory {
  add(trial: TimedTrial): void;
  hasRun(): boolean;
  /** Returns the number of trials added. */
  trials(): number;
  /** Notes why the tuning ended, and after how many milliseconds. Returns false, as `advance` does at the end. */
  end(reason: TuningEnd, elapsedMs: number): false;
  /** Summarises the tuning; one whose `end` was not called counts as ended by its budget. */
  summary(): Pick<TuneResult, "measured" | "ended" | "history">;
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
