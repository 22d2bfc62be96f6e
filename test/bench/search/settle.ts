// Measures what the runs of one task have found side by side: each once a round, in an order that changes.

import { withPrivateDirectory } from "../../../src/native/private-directory.ts";
import { createRunner } from "../../../src/native/runner/client.ts";
import type { Runnable } from "../../../src/native/runner/protocol.ts";
import { predict } from "../../../src/tuner/predict.ts";
import { referenceTask } from "../../../src/tuner/reference.ts";
import { createRng } from "../../../src/tuner/rng.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { readyCandidates } from "../ready-candidates.ts";
import { cpuModel } from "./perform-run.ts";
import type { Place, RunResult } from "./run-result.ts";
import { searchTaskNamed, tuningTaskOf } from "./search-task.ts";
import { candidatesOf, keyOf, noiseOf, type SettledTimes } from "./settled-times.ts";

/** Of a core that is disturbed three quarters of the time, one of so many samples is calm in 99.7 of 100 cases. */
const rounds = 20;

/** After so many rounds, who is so much slower than the best is measured no more: no figure tells it from slower ones. */
const firstRounds = 4;
const givenUpAt = 1.6;

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
      const leastNs = samples.map((times) => Math.min(...times));
      return {
        cpu: cpuModel(),
        task: name,
        target,
        finishedAt: new Date().toISOString(),
        runs: runs.map(({ finishedAt }) => finishedAt),
        times: Object.fromEntries(entrants.map((candidate, k) => [keyOf(candidate), Math.round(leastNs[k]!)])),
        predictedNs: Math.round(leastNs[0]!),
        noise: noiseOf(samples.filter((times) => times.length > firstRounds)),
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
  let entered = samples.map((_, k) => k);
  for (let round = 0; round < rounds; round++) {
    for (const k of rng.shuffle(entered)) samples[k]!.push(await sample(runnables[k]!));
    if (round + 1 !== firstRounds) continue;
    const limit = givenUpAt * Math.min(...samples.flat());
    entered = entered.filter((k) => Math.min(...samples[k]!) <= limit);
  }
  return samples;
}
