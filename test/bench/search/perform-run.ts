// One run, in a process of its own: a tuning as the program interface does it, with what it measured along the way.

import { cpus } from "node:os";
import { codegenVersion, digestOf } from "../../../src/compiler/index.ts";
import { nowMs } from "../../../src/native/clock.ts";
import { withPrivateDirectory } from "../../../src/native/private-directory.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { detectMachine } from "../../../src/native/toolchain/machine.ts";
import type { Toolchain } from "../../../src/native/toolchain/toolchain.ts";
import { measurable } from "../../../src/tuner/measurable.ts";
import { createProfiler } from "../../../src/tuner/profile.ts";
import { openDatabase } from "../../../src/tuner/record/database.ts";
import { referenceTask } from "../../../src/tuner/reference.ts";
import { type ConvergenceRule, defaultConvergence, hasConverged } from "../../../src/tuner/search/convergence.ts";
import type { SearchState } from "../../../src/tuner/search/search-state.ts";
import { strategies } from "../../../src/tuner/search/strategies.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import type { Candidate } from "../../../src/tuner/space/space.ts";
import type { TuningTask } from "../../../src/tuner/task.ts";
import { startTuning, type TimedTrial, type TuneResult } from "../../../src/tuner/tuning.ts";
import { createWorkbench, type Workbench, type WorkbenchOptions } from "../../../src/tuner/workbench.ts";
import type { FailureKind, Improvement, PlannedRun, RunResult, TimedTwice } from "./run-result.ts";
import { searchTaskNamed, tuningTaskOf } from "./search-task.ts";
import { readSentinel, timeOf } from "./sentinel.ts";

/** Only time ends a run. */
const unlimitedTrials = 1e6;

export const cpuModel = (): string => cpus()[0]?.model.trim() ?? "unknown";

/** @param sentinelPath where `writeSentinel` has put the task's */
export function timeSentinel(run: PlannedRun, sentinelPath: string): Promise<number> {
  return withPrivateDirectory(async (directory) => {
    const sentinel = readSentinel(sentinelPath);
    const toolchain = await toolchainOf(taskOf(run));
    return onWorkbench({ task: sentinel.task, toolchain, directory, deadlineMs: patientMs }, async (workbench) =>
      ranTime(await timeOf(workbench, sentinel.source)),
    );
  });
}

/**
 * Nothing is done before time zero that a user's process would not have done.
 *
 * @param beforeNs the sentinel's time before
 */
export function performRun(run: PlannedRun, sentinelPath: string, beforeNs: number): Promise<RunResult> {
  return withPrivateDirectory(async (directory) => {
    const task = taskOf(run);
    const { toolchain, referenceMs, space, state, result, figures } = await tuned(run, task, directory);
    const sentinel = readSentinel(sentinelPath);
    const calm = { task: sentinel.task, toolchain, directory, deadlineMs: patientMs };
    const times = await onWorkbench(calm, async (workbench) => {
      const timedTwice = async (candidate: Candidate, ns: number): Promise<TimedTwice> => {
        const source = measurable(task, space, candidate);
        return { ns, againNs: source.kind === "build-failed" ? null : await timeOf(workbench, source) };
      };
      const { winner } = result;
      return {
        afterNs: ranTime(await timeOf(workbench, sentinel.source)),
        best: state.best && (await timedTwice(state.best.point.candidate, state.best.ns!)),
        winner: winner && (await timedTwice(winner.candidate, winner.medianNs)),
      };
    });
    return {
      ...run,
      ...figures,
      cpu: cpuModel(),
      node: process.version,
      toolchain: toolchain?.identity ?? "wasm",
      codegen: codegenVersion,
      finishedAt: new Date().toISOString(),
      referenceMs,
      overheadMs: process.uptime() * 1000 - (figures.endedMs - figures.startedMs),
      best: times.best,
      winner: times.winner,
      sentinel: { digest: sentinel.digest, beforeNs, afterNs: times.afterNs },
    };
  });
}

const taskOf = ({ task, target }: PlannedRun): TuningTask => tuningTaskOf(searchTaskNamed(task), target);

/** Deadline of what is not searched: a run is not to be lost because the sentinel is slow. */
const patientMs = 60_000;

async function onWorkbench<T>(options: WorkbenchOptions, work: (workbench: Workbench) => Promise<T>): Promise<T> {
  const workbench = createWorkbench(options);
  try {
    return await work(workbench);
  } finally {
    await workbench.close();
  }
}

function ranTime(ns: number | null): number {
  if (ns === null) throw new Error("the sentinel did not run");
  return ns;
}

const toolchainOf = async ({ target }: TuningTask): Promise<Toolchain | null> =>
  target.codegen === "c" ? ((await detectToolchains())[0] ?? null) : null;

interface Tuned {
  readonly toolchain: Toolchain | null;
  readonly space: GeneratedSpace;
  readonly referenceMs: number;
  readonly state: SearchState;
  readonly result: TuneResult;
  readonly figures: Pick<
    RunResult,
    "startedMs" | "endedMs" | "raceMs" | "ended" | "trials" | "invalid" | "improvements" | "profile"
  >;
}

/** From time zero to the end of the race. */
async function tuned(run: PlannedRun, task: TuningTask, directory: string): Promise<Tuned> {
  const profiler = createProfiler(nowMs);
  const zero = nowMs();
  const space = profiler.time("space", () => generateSpace(task));
  const toolchain = await toolchainOf(task);
  const referenceStart = nowMs();
  const reference = referenceTask(task);
  const referenceMs = nowMs() - referenceStart;
  const options = { task: reference, toolchain, directory, cores: detectMachine().cores };
  return onWorkbench(options, async (workbench) => {
    const convergence = run.strategy === "default" && !run.isLong ? defaultConvergence : null;
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
    const ended = endOf(run, endedMs - startedMs, tuning.state(), convergence);
    const profile = profiler.profile();
    const result = await tuning.finish();
    const raceMs = nowMs() - zero - endedMs;
    const figures = { startedMs, endedMs, raceMs, ended, profile, ...log.figures() };
    return { toolchain, space, referenceMs, state: tuning.state(), result, figures };
  });
}

function endOf(
  { seconds }: PlannedRun,
  tunedMs: number,
  state: SearchState,
  convergence: ConvergenceRule | null,
): RunResult["ended"] {
  if (tunedMs >= seconds * 1000) return "budget";
  return convergence && hasConverged(state, convergence) ? "converged" : "exhausted";
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
    add({ measurement, elapsedMs }) {
      trials += 1;
      if (measurement.kind !== "ok") {
        invalid[measurement.kind] = (invalid[measurement.kind] ?? 0) + 1;
        return;
      }
      const { medianNs } = measurement.timing;
      const best = improvements.at(-1)?.[2] ?? Number.POSITIVE_INFINITY;
      if (medianNs < best) improvements.push([trials, Math.round(offsetMs + elapsedMs), Math.round(medianNs)]);
    },
    figures: () => ({ trials, invalid, improvements }),
  };
}
