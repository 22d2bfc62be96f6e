// Measuring through a runner: one candidate → Measurement, finalists → a race.

import type { Runner } from "../../native/runner/client.ts";
import type { CacheState, Runnable, RunOutcome } from "../../native/runner/protocol.ts";
import type { Measurement } from "../data/measurement.ts";
import { forever, type LeftMs } from "../support/time-limit.ts";
import { mostRacers } from "./finalists.ts";
import { heats } from "./heats.ts";
import { defaultRaceOptions, type RaceOptions, type RaceResult, race } from "./race.ts";
import { median, summarize } from "./statistics.ts";

/** Turns the outcome of a run into a measurement, with the samples summed up. */
export const toMeasurement = (outcome: RunOutcome): Measurement =>
  outcome.kind === "ok" ? { kind: "ok", timing: summarize(outcome.samplesNs) } : outcome;

/**
 * Limits of a candidate's timing in a search: no sample begins after this time, check run included, and two that agree within
 * the share are enough. The search wants many candidates, the race of the finalists exact times.
 */
const contender = { budgetNs: 12e6, agreement: 0.015 };

export interface MeasureOptions {
  /** Time of the best so far, or null: losers stop early. */
  readonly incumbentNs: number | null;
  readonly cache: CacheState;
  /** Most samples; undefined: the runner's default of 5, with the time limits of a search. */
  readonly samples: number | undefined;
  /** Returns the milliseconds that are left. When they are over, the measuring process is killed. */
  readonly leftMs?: LeftMs | undefined;
}

/** Loads, checks and times a candidate. */
export async function measureCandidate(
  runner: Runner,
  candidate: Runnable,
  { samples, ...options }: MeasureOptions,
): Promise<Measurement> {
  const amount = samples === undefined ? contender : { samples };
  return toMeasurement(await runner.run({ candidate, ...options, ...amount }));
}

/** Options of a race with cold caches: a sample is one run, and emptying the caches takes ten milliseconds. */
const coldRace: Partial<RaceOptions> = { maxRounds: 24, sampleNs: 10e6 };

export interface RaceCandidatesOptions extends Partial<RaceOptions> {
  readonly cache?: CacheState;
  /** Returns the milliseconds that are left. A candidate that runs when they are over is killed, and out of the race. */
  readonly leftMs?: LeftMs;
  /**
   * The same kernels in a form that other engines run, null for one that has no such form: a kernel is then as fast as the geometric mean of
   * both. Timings are those of the kernels themselves.
   */
  readonly twins?: readonly (Runnable | null)[];
}

/**
 * Races built candidates against each other and drops them from the runner. They come best first. Where they are few, the
 * first is the incumbent of the race; else the winner of the heats before it is.
 */
export async function raceCandidates(
  runner: Runner,
  candidates: readonly Runnable[],
  { cache = "hot", leftMs = forever, twins = [], ...chosen }: RaceCandidatesOptions = {},
): Promise<Omit<RaceResult, "rounds">> {
  const options = { ...defaultRaceOptions, ...(cache === "cold" ? coldRace : {}), ...chosen };
  const timeOf = async (kernel: Runnable): Promise<number | null> => {
    const outcome = await runner.sample(kernel, options.sampleNs, cache, leftMs);
    return outcome.kind === "ok" ? median(outcome.samplesNs) : null;
  };
  const ownNs = candidates.map((): number[] => []);
  const sample = async (entrant: number): Promise<number | null> => {
    const [ns, twin] = [await timeOf(candidates[entrant]!), twins[entrant]];
    if (ns === null || !twin) return ns;
    ownNs[entrant]!.push(ns);
    const twinNs = await timeOf(twin);
    return twinNs && Math.sqrt(ns * twinNs);
  };
  try {
    const field = await heats(candidates.length, sample, { keep: mostRacers, isOver: options.isOver });
    const result = await race(field.length, (entrant) => sample(field[entrant]!), {
      ...options,
      relocate: () => runner.forget(),
    });
    const places = candidates.map((_, candidate) => field.indexOf(candidate));
    return {
      winner: field[result.winner] ?? 0,
      runnerUp: result.runnerUp === null ? null : field[result.runnerUp]!,
      ratios: places.map((place) => result.ratios[place] ?? null),
      timings: places.map((place, candidate) =>
        ownNs[candidate]!.length > 0 && place !== -1 ? summarize(ownNs[candidate]!) : (result.timings[place] ?? null),
      ),
    };
  } finally {
    runner.forget();
  }
}
