// Many samples of kernels side by side, from which it is told what each takes when the core is ours: each once a round, in
// an order that changes.

import { nowMs } from "../../src/native/machine/clock.ts";
import type { Runner } from "../../src/native/runner/client.ts";
import type { Runnable } from "../../src/native/runner/protocol.ts";
import { createRng } from "../../src/tuner/support/rng.ts";

/** Few would be of one moment of the machine: so many rounds, or more where they take no time, or fewer where they take long. */
const rounds = { least: 12, usual: 60, leastMs: 40_000, mostMs: 120_000 };

/** After so many rounds, who is so much slower than the best is measured no more: no figure tells it from slower ones. */
export const firstRounds = 4;
const givenUpAt = 1.6;

/**
 * Quantile that stands for all samples. The least sample is lucky by some percent; the median is disturbed, as others use the core half
 * of the time.
 */
export const settledQuantile = 0.1;

const sampleNs = 1e6;

/** Nanoseconds of a run, by candidate and round. Throws where one fails: it ran before. */
export async function sampleInRounds(
  runner: Runner,
  runnables: readonly Runnable[],
): Promise<readonly (readonly number[])[]> {
  const samples = runnables.map((): number[] => []);
  const rng = createRng(1);
  const sample = async (runnable: Runnable): Promise<number> => {
    const outcome = await runner.sample(runnable, sampleNs);
    if (outcome.kind !== "ok") throw new Error(`it ran before: ${outcome.kind}`);
    return Math.min(...outcome.samplesNs);
  };
  const start = nowMs();
  let entered = samples.map((_, k) => k);
  for (let round = 0; !isEnough(round, nowMs() - start); round++) {
    for (const k of rng.shuffle(entered)) samples[k]!.push(await sample(runnables[k]!));
    if (round + 1 !== firstRounds) continue;
    const limit = givenUpAt * Math.min(...samples.flat());
    entered = entered.filter((k) => Math.min(...samples[k]!) <= limit);
  }
  return samples;
}

const isEnough = (round: number, ms: number): boolean =>
  round >= rounds.least && (ms >= rounds.mostMs || (round >= rounds.usual && ms >= rounds.leastMs));
