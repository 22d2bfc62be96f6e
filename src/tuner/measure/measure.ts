// Measuring through a runner: one candidate → Measurement, finalists → a race.

import type { Runner } from "../../native/runner/client.ts";
import type { Runnable, RunOutcome } from "../../native/runner/protocol.ts";
import type { Measurement } from "./measurement.ts";
import { defaultRaceOptions, type RaceOptions, type RaceResult, race } from "./race.ts";
import { median, summarize } from "./statistics.ts";

/** What came of a run, with the samples summed up. */
export const toMeasurement = (outcome: RunOutcome): Measurement =>
  outcome.kind === "ok" ? { kind: "ok", timing: summarize(outcome.samplesNs) } : outcome;

/** Time for a contender, check run included: the search wants many candidates, the race of the finalists exact times. */
const contenderNs = 12e6;

/**
 * Loads, checks and times a candidate; `incumbentNs` (median of the best so far, or null) lets losers stop early, and
 * `onSent` is told when this thread is free for other work.
 */
export async function measureCandidate(
  runner: Runner,
  candidate: Runnable,
  incumbentNs: number | null,
  onSent: () => void,
): Promise<Measurement> {
  return toMeasurement(await runner.run({ candidate, incumbentNs, budgetNs: contenderNs, onSent }));
}

/** Races built candidates against each other, the first of them the incumbent, and drops them from the runner. */
export async function raceCandidates(
  runner: Runner,
  candidates: readonly Runnable[],
  chosen: Partial<RaceOptions> = {},
): Promise<RaceResult> {
  const options = { ...defaultRaceOptions, ...chosen };
  const sample = async (entrant: number): Promise<number | null> => {
    const outcome = await runner.sample(candidates[entrant]!, options.sampleNs);
    return outcome.kind === "ok" ? median(outcome.samplesNs) : null;
  };
  try {
    return await race(candidates.length, sample, options);
  } finally {
    runner.forget();
  }
}
