// `unplugin-kernel/api`: the parts of the plugin for programs of your own. Search an operator's schedules, build one,
// load and call it, or look at what there is to search.

import {
  callOwn,
  DiagnosticError,
  factsOf,
  needsToolchain,
  type Op,
  printComputeDef,
  printTrace,
  refuse,
} from "../compiler/index.ts";
import { ownCompiler } from "../native/backend/own-compiler.ts";
import { withDirectoryIf } from "../native/file/private-directory.ts";
import { nowMs } from "../native/machine/clock.ts";
import { detectMachine } from "../native/machine/machine.ts";
import { detectToolchains, toolchainFor } from "../native/toolchain/detect.ts";
import { failAlone } from "../plugin/support/fail-alone.ts";
import { type OwnCostModel, ownCostModel } from "../tuner/cost-model/own-cost-model.ts";
import type { Timing } from "../tuner/data/measurement.ts";
import type { Candidate, Space } from "../tuner/data/space.ts";
import type { Budget, TuningTask } from "../tuner/data/task.ts";
import { candidateTrace } from "../tuner/kernel/candidate-kernel.ts";
import { type DumpedStage, dumpStages } from "../tuner/kernel/dump-stages.ts";
import type { ConvergenceRun } from "../tuner/report/convergence.ts";
import {
  type Inspection,
  type InspectOptions,
  inspectCandidate,
  requireSchedule,
  templateSizes,
} from "../tuner/report/inspect.ts";
import { extractTasks, type TaskRequest } from "../tuner/scheduler/extract-tasks.ts";
import { policyOf } from "../tuner/scheduler/own-policy.ts";
import type { PolicyName } from "../tuner/scheduler/policies.ts";
import type { SchedulingPolicy } from "../tuner/scheduler/policy.ts";
import { tuneTasks } from "../tuner/scheduler/tune-tasks.ts";
import { type MutateOptions, mutateSchedule } from "../tuner/search/mutate-schedule.ts";
import { predict } from "../tuner/search/predict.ts";
import type { Strategy } from "../tuner/search/strategy/strategy.ts";
import { explainSpace, printEmptySpace } from "../tuner/space/explain-space.ts";
import {
  type FoundSchedule,
  findSchedule as findSaved,
  type SavedSchedule,
  scheduleToJson,
} from "../tuner/space/template/saved-schedule.ts";
import { createProfiler, type Profile } from "../tuner/support/profile.ts";
import { isOnlyLate, nothingRan } from "../tuner/tuning/failures.ts";
import { nothingTried } from "../tuner/tuning/nothing-tried.ts";
import { tune as runTuning } from "../tuner/tuning/tune.ts";
import type { TimedTrial, TuneProgress, TuneResult } from "../tuner/tuning/tuning.ts";
import type { TuningEnd } from "../tuner/tuning/tuning-history.ts";
import { checkIntrinsics } from "../tuner/workbench/intrinsic-oracle.ts";
import type { OwnRunner } from "../tuner/workbench/own-runner.ts";
import { answersTooLate } from "../tuner/workbench/reference.ts";
import type { Workbench } from "../tuner/workbench/workbench.ts";
import { workbenchFor } from "./bench.ts";
import { type LearningOptions, learningOf } from "./learning.ts";
import { benchOf, isQueue } from "./runner.ts";
import { type KernelOptions, refusal, spaceOf, taskKeyOf, taskOf } from "./task.ts";
import { TuneAllError } from "./tune-all-error.ts";
import { databaseOf, searchOf, searchPartsOf, type TuneOptions } from "./tune-options.ts";

export { DiagnosticError } from "../compiler/index.ts";
export type * from "../native/addon/artifact.ts";
export type { CacheState } from "../native/runner/protocol.ts";
export * as backends from "../tuner/backend/backend-authoring.ts";
export type { FeatureKind } from "../tuner/cost-model/feature-kinds.ts";
export type { Measurement, Timing } from "../tuner/data/measurement.ts";
export type { TuningRecord } from "../tuner/data/record.ts";
export type { Candidate as Schedule, KernelFacts, Postprocessor, Verdict } from "../tuner/data/space.ts";
export { codeSizeLimit, stackLimit, workspaceLimit } from "../tuner/kernel/limits.ts";
export { noiseOf } from "../tuner/measure/statistics.ts";
export type { ProofVerdict, TemplateProof, WinnerProof } from "../tuner/proof/prove-winner.ts";
export {
  memoryDatabase,
  openDatabase,
  type RecordDatabase,
  type RecordQuery,
  type TaskQuery,
} from "../tuner/record/database.ts";
export type { OwnDatabase } from "../tuner/record/own-database.ts";
export { type ConvergencePlot, type ConvergenceRun, convergencePlot } from "../tuner/report/convergence.ts";
export type { Inspection } from "../tuner/report/inspect.ts";
export { perfTable, type TaskPerformance } from "../tuner/report/perf-table.ts";
export { timeSplit } from "../tuner/report/time-split.ts";
export type { PolicyName } from "../tuner/scheduler/policies.ts";
export type { RoundFact, SchedulingPolicy, TaskHistory } from "../tuner/scheduler/policy.ts";
export type { Mutator } from "../tuner/search/point/search-space.ts";
export type { Strategy, StrategyName } from "../tuner/search/strategy/strategy.ts";
export * as search from "../tuner/search/strategy-authoring.ts";
export * as rules from "../tuner/space/rule-authoring.ts";
export type { TemplateBuilder } from "../tuner/space/template/builder.ts";
export type { SpaceEntry } from "../tuner/space/template/entries.ts";
export type { Choice, Derived, Quantity, Sampled } from "../tuner/space/template/quantity.ts";
export { parseSchedule, type SavedSchedule } from "../tuner/space/template/saved-schedule.ts";
export { type AuthoredTemplate, handSchedule, template } from "../tuner/space/template/template.ts";
export type { Profile } from "../tuner/support/profile.ts";
export type { TimedTrial, TuneProgress } from "../tuner/tuning/tuning.ts";
export type { BuildRequest, OwnBuilder, StandardBuild } from "../tuner/workbench/own-builder.ts";
export type { OwnRunner, RunAnswer, RunRequest } from "../tuner/workbench/own-runner.ts";
export { type ArtifactFor, type BuildOptions, build } from "./build.ts";
export * from "./extend.ts";
export { type CalibrateOptions, calibrate, type LearningOptions } from "./learning.ts";
export { type LoadedKernel, load } from "./load.ts";
export {
  type BatchRunOptions,
  exportBatch,
  type ImportedResults,
  importResults,
  type MeasureOptions,
  measure,
  runBatch,
} from "./measure.ts";
export { type ProveOptions, prove } from "./prove.ts";
export type { QueueRunner } from "./runner.ts";
export type { KernelOptions } from "./task.ts";
export { TuneAllError, type TuneFailure } from "./tune-all-error.ts";
export type { TuneOptions } from "./tune-options.ts";

export interface Tuned {
  readonly schedule: Candidate;
  readonly medianNs: number;
  /** Times of the schedule, from the final race or from the records: `noiseOf(timing)` says how noisy the machine was. */
  readonly timing: Timing;
  readonly gflops: number;
  readonly measured: number;
  readonly elapsedMs: number;
  /** Why the search ended: its budget was spent, the best got hardly better, or nothing was left to try. */
  readonly ended: TuningEnd;
  /** Candidates that the strategy proposed again: they were not measured again. */
  readonly repeated: number;
  /** Candidates that did not run or computed wrong results. */
  readonly failed: number;
  /** Improvements of the best time over the tuning; `convergencePlot` draws them. */
  readonly history: ConvergenceRun;
  /** Milliseconds by part of the tuning: `timeSplit` prints it. */
  readonly profile: Profile;
}

const defaultBudget: Budget = { seconds: 30, trials: 512 };

/**
 * Finds a schedule by measuring on this machine.
 *
 * @throws DiagnosticError `space.empty`, `temp.unusable`, `tune.nothing-ran`, `tune.out-of-time`, `strategy.*`
 * @example const { schedule, gflops } = await tune(gemm, { target: "native", budget: { seconds: 10 } });
 */
export function tune(op: Op, options: TuneOptions): Promise<Tuned> {
  const task = taskOf(op, options);
  return withDirectoryIf(needsToolchain(task.target), (directory) => tuneIn(directory, task, options));
}

async function tuneIn(directory: string, task: TuningTask, options: TuneOptions): Promise<Tuned> {
  const startMs = nowMs();
  const { budget, seed = 1, strategy = "default", records, cache = "hot", signal, onProgress, onTrial } = options;
  const searching = searchOf(strategy, options.mutators);
  const database = databaseOf(records);
  const profiler = createProfiler(nowMs);
  const space = profiler.time("space", () => spaceOf(task, options));
  const [toolchain, compiler] = await Promise.all([toolchainFor(task.target), ownCompiler(task.target)]);
  const limits = { ...defaultBudget, ...budget };
  const late = answersTooLate(task, () => limits.seconds * 1_000);
  if (late) throw outOfTime(task.op.name, { late: late.reason, elapsedMs: nowMs() - startMs });
  await checkIntrinsics(task.target, toolchain);
  const runner = isQueue(options.runner) ? undefined : options.runner;
  const place = { builder: options.builder, runner, directory, cache, signal };
  const local = workbenchFor(task, { ...place, toolchain, compiler });
  const { workbench, close } = await benchOf(options, task, local);
  try {
    const result = await runTuning(task, space, {
      ...(await learningOf(options, task, workbench)),
      budget: limits,
      strategy: searching,
      seed,
      taskKey: taskKeyOf(task, space, options),
      database,
      workbench,
      clock: nowMs,
      startMs,
      profiler,
      signal,
      onProgress,
      onTrial: onTrial && ((trial) => callOwn("onTrial", () => onTrial(trial))),
      ...searchPartsOf({ features: options.features, mutators: options.mutators }),
    });
    if (result.repeated > 0) options.onWarning?.(repetition(searching.name, result.repeated));
    return await tunedOf(task, space, searching, result);
  } finally {
    await Promise.all([local.close(), close()]);
  }
}

const repetition = (strategy: string, times: number): string =>
  `strategy "${strategy}" proposed ${times} candidates that it had proposed before; none was measured again`;

async function tunedOf(
  { op, numerics }: TuningTask,
  space: Space,
  strategy: Strategy,
  result: TuneResult,
): Promise<Tuned> {
  const { winner, measured, elapsedMs, ended, repeated, failures, history, profile } = result;
  if (isOnlyLate(result)) throw outOfTime(op.name, result);
  if (!winner && failures.length === 0) throw new DiagnosticError(await nothingTried(space, strategy.name, result));
  if (!winner) {
    const { message, hint } = nothingRan(op.name, result, numerics);
    throw refuse("tune.nothing-ran", message, hint);
  }
  const { candidate: schedule, medianNs, timing } = winner;
  const gflops = factsOf(op).flops / medianNs;
  const told = { measured, elapsedMs, ended, repeated, failed: failures.length, history, profile };
  return { schedule, medianNs, timing, gflops, ...told };
}

function outOfTime(name: string, { late, elapsedMs }: Pick<TuneResult, "late" | "elapsedMs">): DiagnosticError {
  const message = `${name}: nothing could be measured in ${(elapsedMs / 1000).toFixed(1)} s: ${late ?? "the budget was spent before"}`;
  const hint = "give it more seconds or trials, or take predictSchedule's, which is not measured";
  return refuse("tune.out-of-time", message, hint);
}

export interface KernelToTune extends KernelOptions {
  readonly op: Op;
  /** Factor by which this kernel's time counts, such as its calls in one run of the program; default: 1. */
  readonly weight?: number;
}

export interface TuneAllOptions
  extends Omit<
    TuneOptions,
    keyof KernelOptions | keyof LearningOptions | "onProgress" | "onTrial" | "cache" | "runner"
  > {
  /** Seconds for all kernels together. */
  readonly seconds: number;
  /**
   * Policy that gives out rounds, by name or one of your own (docs/extending.md); default: `gradient`, to the kernel for which the
   * next second is expected to save most.
   */
  readonly policy?: PolicyName | SchedulingPolicy;
  /** Cost model of your own. docs/extending.md */
  readonly costModel?: OwnCostModel;
  /** Runner of your own, in place of this machine's measuring process. docs/extending.md */
  readonly runner?: OwnRunner;
  /** `kernel`: the place of the first that asked for what is tuned. */
  readonly onProgress?: (kernel: number, progress: TuneProgress) => void;
  /** Called with each candidate that was measured, and its result. What it throws ends the kernel's tuning. */
  readonly onTrial?: (kernel: number, trial: TimedTrial) => void;
}

export interface TunedTask extends Tuned {
  /** Places of the kernels that share it: equal ones are tuned once. */
  readonly kernels: readonly number[];
  /** Sum of the weights of these kernels. */
  readonly weight: number;
}

/**
 * Tunes the kernels of a program within one total of seconds. Each has a first round; the rest is spent where it saves
 * most of the weighted sum of their times. docs/scheduler.md
 *
 * @returns one entry a task, in the order in which each was first asked for; `elapsedMs` is its share of the time
 * @throws TuneAllError when all have ended: a DiagnosticError as `tune`'s, with what was found for the others
 * @example await tuneAll([{ op: gemm, target: "wasm", weight: 12 }, { op: softmax, target: "wasm" }], { seconds: 20 });
 */
export async function tuneAll(
  kernels: readonly KernelToTune[],
  options: TuneAllOptions,
): Promise<readonly TunedTask[]> {
  const { seconds, budget, seed = 1, strategy = "default", records, signal, policy = "gradient" } = options;
  const searching = searchOf(strategy, options.mutators);
  const chosen = policyOf(policy);
  const database = databaseOf(records);
  const costModel = options.costModel && ownCostModel(options.costModel);
  const { onTrial, builder, runner } = options;
  const extracted = extractTasks(kernels.map(requestOf));
  const tasks = extracted.map(({ task, weight, requests }) => {
    const kernel = kernels[requests[0]!]!;
    const space = spaceOf(task, kernel);
    return { task, weight, space, taskKey: taskKeyOf(task, space, kernel), kernels: requests };
  });
  const isNative = tasks.some(({ task }) => needsToolchain(task.target));
  const toolchain = isNative ? ((await detectToolchains())[0] ?? null) : null;
  for (const { task } of tasks) await checkIntrinsics(task.target, toolchain);
  const ownBench = (task: TuningTask, directory: string, compiler: string | null | undefined): Workbench =>
    workbenchFor(task, {
      ...{ builder, runner, directory, signal, compiler },
      toolchain: needsToolchain(task.target) ? toolchain : null,
    });
  const settled = await tuneTasks(tasks, {
    budget: { ...defaultBudget, ...budget },
    policy: chosen,
    totalMs: seconds * 1000,
    strategy: searching,
    seed,
    database,
    toolchain,
    cores: detectMachine().cores,
    signal,
    onProgress: (at, progress) => options.onProgress?.(tasks[at]!.kernels[0]!, progress),
    ...(costModel && { costModel }),
    ...((builder || runner) && { workbench: ownBench }),
    ...searchPartsOf({ features: options.features, mutators: options.mutators }),
    ...(onTrial && { onTrial: (at, trial) => callOwn("onTrial", () => onTrial(tasks[at]!.kernels[0]!, trial)) }),
  });
  signal?.throwIfAborted();
  const outcomes = tasks.map(({ task, space, weight, kernels }, at) =>
    failAlone(`kernel ${kernels[0]}`, null, async (): Promise<TunedTask> => {
      const result = settled[at]!;
      if (result.status === "rejected") throw result.reason;
      return { ...(await tunedOf(task, space, searching, result.value)), kernels, weight };
    }),
  );
  return allTuned(tasks, await Promise.allSettled(outcomes));
}

function allTuned(
  tasks: readonly Pick<TunedTask, "kernels">[],
  outcomes: readonly PromiseSettledResult<TunedTask>[],
): readonly TunedTask[] {
  const tuned = outcomes.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
  const [first, ...others] = outcomes.flatMap((it, at) =>
    it.status === "rejected" ? [{ kernels: tasks[at]!.kernels, error: it.reason as DiagnosticError }] : [],
  );
  if (first) throw new TuneAllError(tuned, [first, ...others]);
  return tuned;
}

/** Turns a kernel into a request. One with rules, templates or postprocessors gets a `variant`: it is never tuned with an equal one. */
function requestOf(kernel: KernelToTune, at: number): TaskRequest {
  const { op, weight, rules, templates, postprocessors } = kernel;
  const variant = rules || templates || postprocessors ? `${at}` : "";
  return { task: taskOf(op, kernel), weight, variant };
}

/** The schedule that the analytic prior likes best. Measures nothing. */
export function predictSchedule(op: Op, options: KernelOptions): Candidate {
  const space = spaceOf(taskOf(op, options), options);
  const schedule = predict(space);
  if (schedule) return schedule;
  throw emptySpace(space);
}

function emptySpace(space: Space): DiagnosticError {
  const { message, detail } = explainSpace(space);
  return refusal("space.empty", message, detail);
}

/** Every stage of one schedule as numbered texts: `for (const { name, text } of dump(…)) writeFileSync(name, text)`. */
export function dump(op: Op, schedule: Candidate, options: KernelOptions): readonly DumpedStage[] {
  const task = taskOf(op, options);
  return dumpStages(task, spaceOf(task, options), schedule);
}

/**
 * One schedule from the expression to its code: decisions, trace, the trace as TypeScript that makes it, loop nest, passes.
 *
 * @throws DiagnosticError `schedule.unknown`
 * @example console.log(inspect(gemm, schedule, { target: "avx2", simplify: true }).text)
 */
export function inspect(op: Op, schedule: Candidate, options: KernelOptions & InspectOptions): Inspection {
  const task = taskOf(op, options);
  return inspectCandidate(task, spaceOf(task, options), schedule, options);
}

/**
 * A schedule as text to keep: decisions by name, and the trace. `parseSchedule` reads it, in later versions too.
 *
 * @throws DiagnosticError `schedule.unknown`
 */
export const saveSchedule = (op: Op, schedule: Candidate, options: KernelOptions): string =>
  scheduleToJson(requireSchedule(spaceOf(taskOf(op, options), options), schedule));

/** Finds a saved schedule where the space still makes the same of its decisions. Else it says why not; its trace is a schedule by hand. */
export const findSchedule = (op: Op, saved: SavedSchedule, options: KernelOptions): FoundSchedule =>
  findSaved(spaceOf(taskOf(op, options), options), saved);

/**
 * The schedule with another value of one decision, and of as few others as the constraints want. Null: none can change.
 *
 * @example mutate(gemm, schedule, { target: "avx2", decision: "C.i.register", seed: 2 })
 */
export const mutate = (op: Op, schedule: Candidate, options: KernelOptions & MutateOptions): Candidate | null =>
  mutateSchedule(spaceOf(taskOf(op, options), options), schedule, options);

/**
 * The expression, the templates with the sizes of their models, and the predicted schedule, as text. Where there is none:
 * which constraints clash.
 */
export function explain(op: Op, options: KernelOptions): string {
  const task = taskOf(op, options);
  const space = spaceOf(task, options);
  const candidate = predict(space);
  const templates = templateSizes(space).map((line) => `  ${line}`);
  const schedule = candidate ? printTrace(candidateTrace(space, candidate)!) : printEmptySpace(space);
  return [printComputeDef(task.op), "", "templates", ...templates, "", "predicted schedule", schedule].join("\n");
}
