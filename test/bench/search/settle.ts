// Measures what the runs of one task have found side by side.

import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { createRunner } from "../../../src/native/runner/client.ts";
import { quantile } from "../../../src/tuner/measure/statistics.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { cpuName } from "../cpu-name.ts";
import { readyCandidates } from "../ready-candidates.ts";
import { firstRounds, sampleInRounds, settledQuantile } from "../sample-in-rounds.ts";
import type { Place, RunResult } from "./run-result.ts";
import { searchTaskNamed, tuningTaskOf } from "./search-task.ts";
import { candidatesOf, keyOf, noiseOf, type SettledTimes } from "./settled-times.ts";

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
      const samples = await sampleInRounds(runner, runnables);
      const settledNs = samples.map((times) => Math.round(quantile(times, settledQuantile)));
      return {
        cpu: cpuName(),
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
