// Measures what the runs of one task have found side by side: each once a round, in an order that changes.

import { nowMs } from "../../../src/native/clock.ts";
import { withPrivateDirectory } from "../../../src/native/private-directory.ts";
import { createRunner } from "../../../src/native/runner/client.ts";
import type { Runnable } from "../../../src/native/runner/protocol.ts";
import { quantile } from "../../../src/tuner/measure/statistics.ts";
import { predict } from "../../../src/tuner/predict.ts";
import { referenceTask } from "../../../src/tuner/reference.ts";
import { createRng } from "../../../src/tuner/rng.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { readyCandidates } from "../ready-candidates.ts";
import { cpuModel } from "./perform-run.ts";
import type { Place, RunResult } from "./run-result.ts";
import { searchTaskNamed, tuningTaskOf } from "./search-task.ts";
import { candidatesOf, keyOf, noiseOf, type SettledTimes } from "./settled-times.ts";

/** Few would be of one moment of the machine: so many rounds, or more where they take no time, or fewer where they take long. */
const rounds = { least: 12, usual: 60, leastMs: 40_000, mostMs: 120_000 };

/** After so many rounds, who is so much slower than the best is measured no more: no figure tells it from slower ones. */
const firstRounds = 4;
const givenUpAt = 1.6;

/** Not the least sample: that is luck too, by some percent. Not the median: the core is not ours for half of the time. */
const settledQuantile = 0.1;

const sampleNs = 1e6;
const deadlineMs = 60_000;

export function settle({ task: name, target }: Place, runs: readonly RunResult[]): Promise<SettledTimes> {
  return withPrivateDirectory(async (directory) => {
    const task = tuningTaskOf(searchTaskNamed(name), target);
    const predicted = predict(generateSpace(task));
    if (!predicted) throw new Error(`${name} has no predicted schedule`);
    const entrants = [predicted, ...candidatesOf(runs)];
    const runner = createRunner({ relaxedSimd: true, deadlineMs });
    try {
      runner.setTask(referenceTask(task));
      const runnables = await readyCandidates(task, entrants, directory);
      const samples = await sampleInRounds(runnables, async (runnable) => {
        const outcome = await runner.sample(runnable, sampleNs);
        if (outcome.kind !== "ok") throw new Error(`${name} ${target}: it ran before: ${outcome.kind}`);
        return Math.min(...outcome.samplesNs);
      });
      const settledNs = samples.map((times) => Math.round(quantile(times, settledQuantile)));
      return {
        cpu: cpuModel(),
        task: name,
        target,
        finishedAt: new Date().toISOString(),
        runs: runs.map(({ finishedAt }) => finishedAt),
        times: Object.fromEntries(entrants.map((candidate, k) => [keyOf(candidate), settledNs[k]!])),
        predictedNs: settledNs[0]!,
        noise: noiseOf(
          samples.filter((times) => times.length > firstRounds),
          settledQuantile,
        ),
      };
    } finally {
      await runner.close();
    }
  });
}

async function sampleInRounds(
  runnables: readonly Runnable[],
  sample: (runnable: Runnable) => Promise<number>,
): Promise<readonly (readonly number[])[]> {
  const samples = runnables.map((): number[] => []);
  const rng = createRng(1);
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
