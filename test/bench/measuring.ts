// Error of a search's measuring, and its effect on the heats and the race: candidates of one tuning are timed many
// times in turns, which gives the true time of each; then again and again as a search measures them, in random order.
//
//     npm run bench:measuring -- --task gemm-512 --target wasm --seconds 120

import { parseArgs } from "node:util";
import { digestOf, type TargetName } from "../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../src/native/file/private-directory.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { createRunner, type Runner } from "../../src/native/runner/client.ts";
import type { Runnable } from "../../src/native/runner/protocol.ts";
import { toolchainFor } from "../../src/native/toolchain/detect.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";
import { mostFinalists, mostRacers } from "../../src/tuner/measure/finalists.ts";
import { measureCandidate, raceCandidates } from "../../src/tuner/measure/measure.ts";
import { mean, median, quantile } from "../../src/tuner/measure/statistics.ts";
import { memoryDatabase } from "../../src/tuner/record/database.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { tune } from "../../src/tuner/tuning/tune.ts";
import type { TimedTrial } from "../../src/tuner/tuning/tuning.ts";
import { referenceTask } from "../../src/tuner/workbench/reference.ts";
import { createWorkbench } from "../../src/tuner/workbench/workbench.ts";
import { spearman } from "../tuner/cost-model/statistics.ts";
import { readyCandidates } from "./ready-candidates.ts";
import { sampleInRounds, settledQuantile } from "./sample-in-rounds.ts";
import { searchTaskNamed, tuningTaskOf } from "./search/search-task.ts";

const { values } = parseArgs({
  options: {
    task: { type: "string", default: "gemm-512" },
    target: { type: "string", default: "wasm" },
    seconds: { type: "string", default: "120" },
  },
});
const task = tuningTaskOf(searchTaskNamed(values.task), values.target as TargetName);
const reference = referenceTask(task);
const rng = createRng(1);

/** The best of a tuning as it saw them, and others. */
const best = 40;
const others = 20;

async function candidatesOfTuning(directory: string): Promise<readonly Candidate[]> {
  const workbench = createWorkbench({
    task: reference,
    toolchain: await toolchainFor(task.target),
    directory,
    cores: 2,
  });
  const trials: { readonly candidate: Candidate; readonly ns: number }[] = [];
  const onTrial = ({ candidate, measurement }: TimedTrial): void => {
    if (measurement.kind === "ok") trials.push({ candidate, ns: measurement.timing.minNs });
  };
  const budget = { seconds: 40, trials: 400 };
  const strategy = strategies.default;
  const [database, taskKey] = [memoryDatabase(), digestOf(task.op)];
  await tune(task, generateSpace(task), {
    budget,
    strategy,
    seed: 1,
    taskKey,
    database,
    workbench,
    clock: nowMs,
    onTrial,
  });
  await workbench.close();
  const ranked = trials.toSorted((left, right) => left.ns - right.ns).map(({ candidate }) => candidate);
  return [...ranked.slice(0, best), ...rng.shuffle(ranked.slice(best)).slice(0, others)];
}

async function withRunner<T>(use: (runner: Runner) => Promise<T>): Promise<T> {
  const runner = createRunner({ relaxedSimd: true, deadlineMs: 60_000 });
  runner.setTask(reference);
  return use(runner).finally(() => runner.close());
}

/** Nanoseconds of each. */
const timesOf = (candidates: readonly Runnable[]): Promise<readonly number[]> =>
  withRunner(async (runner) => {
    const samples = await sampleInRounds(runner, candidates);
    return samples.map((own) => quantile(own, settledQuantile));
  });

interface Pass {
  /** By candidate. */
  readonly recordedNs: readonly number[];
  readonly msEach: number;
  /** The candidates that were chosen, and the seconds that it took. */
  readonly narrow: Choice;
  readonly wide: Choice;
}

interface Choice {
  readonly winner: number;
  readonly seconds: number;
}

/** Measures the candidates as a search of them would, heats and race included. */
const pass = (candidates: readonly Runnable[]): Promise<Pass> =>
  withRunner(async (runner) => {
    const recordedNs: number[] = Array(candidates.length).fill(Number.POSITIVE_INFINITY);
    const start = nowMs();
    let incumbentNs: number | null = null;
    for (const at of rng.shuffle([...candidates.keys()])) {
      const options = { incumbentNs, cache: "hot", samples: undefined, onSent: () => {} } as const;
      const measurement = await measureCandidate(runner, candidates[at]!, options);
      if (measurement.kind !== "ok") continue;
      recordedNs[at] = measurement.timing.minNs;
      incumbentNs = Math.min(...recordedNs);
    }
    const msEach = (nowMs() - start) / candidates.length;
    const ranked = [...candidates.keys()].sort((left, right) => recordedNs[left]! - recordedNs[right]!);
    const choose = async (finalists: number): Promise<Choice> => {
      const from = nowMs();
      const field = ranked.slice(0, finalists);
      const { winner } = await raceCandidates(
        runner,
        field.map((at) => candidates[at]!),
      );
      return { winner: field[winner]!, seconds: (nowMs() - from) / 1000 };
    };
    return { recordedNs, msEach, narrow: await choose(mostRacers), wide: await choose(mostFinalists) };
  });

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Only those within 30 % of the best count: of the others a search wants to know no more than that. */
function report(timesNs: readonly number[], passes: readonly Pass[]): void {
  const bestNs = Math.min(...timesNs);
  const near = [...timesNs.keys()].filter((at) => timesNs[at]! < 1.3 * bestNs);
  const errors = passes.map(({ recordedNs }) => {
    const logs = near.map((at) => Math.log(recordedNs[at]! / timesNs[at]!)).filter(Number.isFinite);
    return logs.map((log) => log - median(logs));
  });
  const spread = Math.sqrt(mean(errors.flat().map((error) => error ** 2)));
  const order = mean(
    passes.map(({ recordedNs }) =>
      spearman(
        near.map((at) => recordedNs[at]!),
        near.map((at) => timesNs[at]!),
      ),
    ),
  );
  console.log(
    `${values.task}, ${values.target}: ${near.length} candidates within 30 % of the best, ${passes.length} passes`,
  );
  console.log(
    `as a search measures them: ${mean(passes.map((it) => it.msEach)).toFixed(1)} ms each, off by ${percent(spread)}, rank correlation ${order.toFixed(2)}`,
  );
  for (const [name, choice] of [
    [`a race of ${mostRacers}`, (it: Pass) => it.narrow],
    [`heats of ${mostFinalists} and a race`, (it: Pass) => it.wide],
  ] as const) {
    const regret = mean(passes.map((it) => timesNs[choice(it).winner]! / bestNs - 1));
    console.log(
      `${name}: ${percent(regret)} slower than the best, in ${mean(passes.map((it) => choice(it).seconds)).toFixed(1)} s`,
    );
  }
}

await withPrivateDirectory(async (directory) => {
  const candidates = await readyCandidates(task, await candidatesOfTuning(directory), directory);
  const timesNs = await timesOf(candidates);
  const passes: Pass[] = [];
  for (const start = nowMs(); passes.length === 0 || nowMs() - start < Number(values.seconds) * 1000; )
    passes.push(await pass(candidates));
  report(timesNs, passes);
});
