// One run, in a process of its own: a tuning as the program interface does it, with what it measured along the way.

import { codegenVersion, digestOf } from "../../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../../src/native/file/private-directory.ts";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { detectMachine } from "../../../src/native/machine/machine.ts";
import { toolchainFor } from "../../../src/native/toolchain/detect.ts";
import type { Toolchain } from "../../../src/native/toolchain/toolchain.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { openDatabase } from "../../../src/tuner/record/database.ts";
import { convergenceFor } from "../../../src/tuner/search/state/convergence.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createProfiler } from "../../../src/tuner/support/profile.ts";
import { startTuning, type TimedTrial } from "../../../src/tuner/tuning/tuning.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { createWorkbench } from "../../../src/tuner/workbench/workbench.ts";
import { cpuName } from "../cpu-name.ts";
import type { FailureKind, Improvement, PlannedRun, RunResult } from "./run-result.ts";
import { searchTaskNamed, tuningTaskOf } from "./search-task.ts";

/** Only time ends a run. */
const unlimitedTrials = 1e6;

/** Nothing is done before time zero that a user's process would not have done. */
export function performRun(run: PlannedRun): Promise<RunResult> {
  return withPrivateDirectory(async (directory) => {
    const task = tuningTaskOf(searchTaskNamed(run.task), run.target);
    const { toolchain, ...figures } = await tuned(run, task, directory);
    return {
      ...run,
      ...figures,
      cpu: cpuName(),
      node: process.version,
      toolchain: toolchain?.identity ?? "wasm",
      codegen: codegenVersion,
      finishedAt: new Date().toISOString(),
      overheadMs: process.uptime() * 1000 - (figures.endedMs - figures.startedMs),
    };
  });
}

type Tuned = Pick<
  RunResult,
  | "referenceMs"
  | "startedMs"
  | "endedMs"
  | "raceMs"
  | "ended"
  | "trials"
  | "invalid"
  | "improvements"
  | "profile"
  | "winner"
> & { readonly toolchain: Toolchain | null };

/** From time zero to the end of the race. */
async function tuned(run: PlannedRun, task: TuningTask, directory: string): Promise<Tuned> {
  const profiler = createProfiler(nowMs);
  const zero = nowMs();
  const space = profiler.time("space", () => generateSpace(task));
  const toolchain = await toolchainFor(task.target);
  const referenceStart = nowMs();
  const reference = referenceTask(task);
  const referenceMs = nowMs() - referenceStart;
  const options = { task: reference, toolchain, directory, cores: detectMachine().cores };
  const workbench = createWorkbench(options);
  try {
    const convergence = run.strategy === "default" && !run.isLong ? convergenceFor(task.target) : null;
    const log = trialLog(nowMs() - zero);
    const startedMs = nowMs() - zero;
    const tuning = await startTuning(task, space, {
      budget: { seconds: run.seconds, trials: unlimitedTrials },
      strategy: strategies[run.strategy],
      seed: run.seed,
      taskKey: digestOf(task.op),
      database: openDatabase(`${directory}/records.jsonl`),
      workbench,
      clock: nowMs,
      convergence,
      profiler,
      onTrial: log.add,
    });
    while (await tuning.advance());
    const endedMs = nowMs() - zero;
    const profile = profiler.profile();
    const { winner, ended } = await tuning.finish();
    const raceMs = nowMs() - zero - endedMs;
    const times = { referenceMs, startedMs, endedMs, raceMs };
    return { toolchain, ...times, ended, profile, winner: winner?.candidate ?? null, ...log.figures() };
  } finally {
    await workbench.close();
  }
}

/** Keeps improvements and counts. */
function trialLog(offsetMs: number): {
  readonly add: (trial: TimedTrial) => void;
  readonly figures: () => Pick<RunResult, "trials" | "invalid" | "improvements">;
} {
  const improvements: Improvement[] = [];
  const invalid: Partial<Record<FailureKind, number>> = {};
  let trials = 0;
  return {
    add({ candidate, measurement, elapsedMs }) {
      trials += 1;
      if (measurement.kind !== "ok") {
        invalid[measurement.kind] = (invalid[measurement.kind] ?? 0) + 1;
        return;
      }
      const { minNs } = measurement.timing;
      if (minNs >= (improvements.at(-1)?.ns ?? Number.POSITIVE_INFINITY)) return;
      improvements.push({ trial: trials, elapsedMs: Math.round(offsetMs + elapsedMs), ns: minNs, candidate });
    },
    figures: () => ({ trials, invalid, improvements }),
  };
}
