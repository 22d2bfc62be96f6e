// Tunes one kernel: a workbench with the right answers, the records, the search, and what is to be said of its failures.

import { type DiagnosticError, factsOf, needsToolchain, refuse } from "../../../compiler/index.ts";
import { withDirectoryIf } from "../../../native/file/private-directory.ts";
import { isNoexec, isUnusable, unusableTemp } from "../../../native/machine/unusable.ts";
import { familyOnTarget } from "../../../tuner/data/family.ts";
import { targetClass } from "../../../tuner/data/key.ts";
import type { TuningRecord } from "../../../tuner/data/record.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { taskKey } from "../../../tuner/data/task-key.ts";
import { ownRecords } from "../../../tuner/experience/known-records.ts";
import { QueueLost } from "../../../tuner/fleet/queue.ts";
import { JobRefused } from "../../../tuner/fleet/submit.ts";
import { groupConvergence } from "../../../tuner/scheduler/group-convergence.ts";
import type { Turns } from "../../../tuner/scheduler/tuning-group.ts";
import { convergenceFor } from "../../../tuner/search/state/convergence.ts";
import { strategies } from "../../../tuner/search/strategy/strategies.ts";
import type { StrategyName } from "../../../tuner/search/strategy/strategy.ts";
import { type GeneratedSpace, generateSpace } from "../../../tuner/space/generate.ts";
import { createProfiler } from "../../../tuner/support/profile.ts";
import { countOf, isOnlyLate, nothingRan, reasonOf } from "../../../tuner/tuning/failures.ts";
import { startTuning } from "../../../tuner/tuning/start-tuning.ts";
import type { Failure, TuneResult, TuningOptions } from "../../../tuner/tuning/tuning.ts";
import { answersTooLate, referenceOf } from "../../../tuner/workbench/reference.ts";
import type { Workbench } from "../../../tuner/workbench/workbench.ts";
import { lostElsewhere } from "../../fleet/open-fleet.ts";
import { warnOnce } from "../../support/say-once.ts";
import { twinsOfNative, wasmTwins } from "../artifacts/make-artifacts.ts";
import { nativeKernel } from "../artifacts/native-kernel.ts";
import { checkTwins } from "../check/check-twins.ts";
import type { SharedMachine } from "../compile-services.ts";
import { type KernelContext, measuringPlace } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { isPortable } from "../schedule.ts";
import { emptySpace } from "../source/make-prediction.ts";
import { predictSchedule } from "../source/predict-schedule.ts";
import { scheduleOf } from "../source/schedule-source.ts";
import { logTuning, openRecords, recordsFile, tuningsFile } from "./open-records.ts";
import { createSharedMachine } from "./shared-machine.ts";

/** Seed of all searches: a build is to be repeatable. */
const seed = 1;

/**
 * @param kernels that want it by now: how much it counts among the tunings of a build
 * @throws DiagnosticError `space.empty`, `tune.nothing-ran`
 */
export async function tuneKernel(context: KernelContext, kernels: () => number): Promise<KernelDecision> {
  const { budget } = context.request;
  const late = answersTooLate(context.task, () => budget.seconds * 1_000);
  if (late) return predictedInstead(context, { late: late.reason, measured: 0 });
  try {
    return await tuneByMode(context, kernels);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    const { lockName, services } = context;
    services.log.warn(
      `${lockName}: ${error.diagnostic.message}; it gets the predicted schedule, which was not measured`,
    );
    const schedule = await predictSchedule(context, context.task);
    return { ...schedule, origin: "predicted", measured: null, measurements: 0, compilerRuns: 0 };
  }
}

async function tuneByMode(context: KernelContext, kernels: () => number): Promise<KernelDecision> {
  for (const name of context.request.compare ?? []) {
    const compared: Adapt = (options) => fromNothing(options, name);
    await tuneInTurns(context, kernels, compared, async (_, { failures }) => warnOfBugs(context, failures));
  }
  return tuneInTurns(context, kernels, adaptTo(context), (opened, result) => decisionOf(context, opened, result));
}

type Adapt = (options: TuningOptions) => TuningOptions;

function adaptTo({ request: { mode }, task }: KernelContext): Adapt {
  if (mode === "again") return (options) => goingOn(task, options);
  return mode === "update" ? withoutOwn : (options) => options;
}

interface Opened {
  readonly workbench: Workbench;
  readonly space: GeneratedSpace;
}

type Finish<Result> = (opened: Opened, result: TuneResult) => Promise<Result>;

/** Tunes in turns with the other kernels on this machine, or beside them on a fleet. */
async function tuneInTurns<Result>(
  context: KernelContext,
  kernels: () => number,
  adapt: Adapt,
  finish: Finish<Result>,
): Promise<Result> {
  const { elsewhere, services, lockName } = context;
  if (!elsewhere)
    return tuneOn(await services.tunings.machine(measuringPlace(services)), context, kernels, adapt, finish);
  const { fleet, of, clock } = elsewhere;
  const machine = createSharedMachine({
    totalMs: null,
    clock,
    signal: services.signal,
    measuring: measuringPlace(services),
  });
  try {
    return await fleet.inTurn(of, () => tuneOn(machine, context, kernels, adapt, finish));
  } catch (error) {
    if (!(error instanceof QueueLost || error instanceof JobRefused)) throw error;
    throw lostElsewhere(lockName, error.message);
  }
}

function tuneOn<Result>(
  { group, runner }: SharedMachine,
  context: KernelContext,
  kernels: () => number,
  adapt: Adapt,
  finish: Finish<Result>,
): Promise<Result> {
  return withDirectoryIf(needsToolchain(context.task.target), async (directory) => {
    const { task, services } = context;
    services.signal.throwIfAborted();
    const toolchain = needsToolchain(task.target) ? await context.toolchain() : null;
    const { compilers } = services.tunings;
    const opened: Opened[] = [];
    try {
      return await group.tune({
        weight: kernels,
        flops: factsOf(task.op).flops,
        family: familyOnTarget(task),
        async start(turns) {
          const workbench = await context.workbench({
            ...referenceOf(task),
            toolchain,
            directory,
            signal: services.signal,
            cores: compilers ?? context.machine.cores,
            threads: task.threads,
            runner: runner.open(),
          });
          const space = generateSpace(task);
          opened.push({ workbench, space });
          // Twins are checked before the search takes its time, since they do not depend on its result.
          if (!isPortable(task)) await checkTwins(workbench, context, await twinsOfNative(context, task));
          return startTuning(task, space, adapt(tuningOptions(context, workbench, turns)));
        },
        finish: async (tuning) => finish(opened[0]!, await tuning.finish()),
      });
    } finally {
      await opened[0]?.workbench.close();
    }
  });
}

function tuningOptions(context: KernelContext, workbench: Workbench, turns: Turns): TuningOptions {
  const { task, services, request, lockName } = context;
  const { flops } = factsOf(task.op);
  return {
    budget: request.budget,
    strategy: strategies.default,
    seed,
    taskKey: taskKey(task),
    database: openRecords(recordsFile(services.options.cacheDir), (line) => warnOnce(services, "records", line)),
    onEnd: (tuning) => logTuning(tuningsFile(services.options.cacheDir), tuning),
    profiler: createProfiler(turns.clock),
    workbench,
    clock: turns.clock,
    startMs: 0,
    isOver: turns.isOver,
    leftMs: turns.leftMs,
    convergence: (services.options.totalSeconds === null ? convergenceFor : groupConvergence)(task.target),
    signal: services.signal,
    onProgress: (progress) => services.onProgress?.(lockName, flops, progress),
  };
}

/** Options of a search that knows nothing of what was measured of this task before. */
function withoutOwn(options: TuningOptions): TuningOptions {
  const { database, taskKey } = options;
  const others = (records: readonly TuningRecord[]) => records.filter(({ task }) => task !== taskKey);
  return { ...options, database: { ...database, records: (query) => others(database.records(query)) } };
}

/** Options of a search of its own for the whole budget. */
const fromNothing = (options: TuningOptions, strategy: StrategyName): TuningOptions => ({
  ...withoutOwn(options),
  strategy: strategies[strategy],
  convergence: null,
});

/** Options of a search that goes on beyond convergence, for as many trials more. */
function goingOn(task: TuningTask, options: TuningOptions): TuningOptions {
  const { budget } = options;
  const recorded = ownRecords(task, options).length;
  return { ...options, convergence: null, budget: { ...budget, trials: budget.trials + recorded } };
}

async function decisionOf(context: KernelContext, opened: Opened, result: TuneResult): Promise<KernelDecision> {
  const { task } = context;
  const { workbench, space } = opened;
  warnOfBugs(context, result.failures);
  if (isOnlyLate(result)) return predictedInstead(context, result);
  if (!result.winner) throw await noWinner(context, space, result);
  const { winner, measured, recorded } = result;
  const { medianNs } = winner;
  const schedule = scheduleOf(task, space, winner.candidate);
  if (isPortable(task)) await checkTwins(workbench, context, await wasmTwins(context, schedule));
  const machine = { machine: targetClass(task.target), toolchain: workbench.toolchain };
  const gflops = factsOf(task.op).flops / medianNs;
  const decision: KernelDecision = {
    ...schedule,
    origin: "tuned",
    measured: { medianNs, gflops, ...machine, trials: measured + recorded },
    measurements: measured,
    compilerRuns: workbench.compilerRuns(),
  };
  return { ...decision, compilerRuns: decision.compilerRuns + (await buildAddon(context, decision)) };
}

/**
 * Into the store, from where it is taken when the kernel is put together: the compiler runs while it is still this kernel's
 * turn, not beside the measurements of the next, and once for all that share the tuning. Compiler runs.
 */
async function buildAddon(context: KernelContext, decision: KernelDecision): Promise<number> {
  if (!needsToolchain(context.task.target) || context.elsewhere?.isForeign) return 0;
  const result = await nativeKernel(context, decision);
  return result.kind === "built" ? result.compilerRuns : 0;
}

/** Warns of wrong results of candidates. They are no fault of the user's, who should know of them although the kernel is right. */
function warnOfBugs({ services, lockName }: KernelContext, failures: readonly Failure[]): void {
  const wrong = failures.filter(({ measurement }) => measurement.kind === "wrong-result");
  if (wrong.length === 0) return;
  const said = `${countOf(wrong)} computed wrong results and will not be used: ${reasonOf(wrong[0]!)}`;
  services.log.warn(`${lockName}: ${said}. That is a bug of unplugin-kernel: please report it`);
}

async function noWinner(
  { lockName, task }: KernelContext,
  space: GeneratedSpace,
  result: TuneResult,
): Promise<DiagnosticError> {
  if (result.failures.length === 0) return emptySpace(lockName, space);
  if (result.failures.every((failure) => isNoexec(reasonOf(failure))))
    throw unusableTemp(reasonOf(result.failures[0]!));
  const { message, hint } = nothingRan(lockName, result, task.numerics);
  return refuse("tune.nothing-ran", message, hint);
}

/** Returns the predicted schedule, unmeasured, and warns: the next build tries again. */
async function predictedInstead(
  context: KernelContext,
  { late, measured }: Pick<TuneResult, "late" | "measured">,
): Promise<KernelDecision> {
  const { lockName, services, request, task } = context;
  const why = late ?? "they were over before the first candidate ran";
  const said = `nothing could be measured in ${request.budget.seconds} s: ${why}`;
  // Candidates that were collected are measured on another machine, so the user has nothing to mend.
  if (!services.collector?.collected().length)
    services.log.warn(
      `${lockName}: ${said}; it gets the predicted schedule, which was not measured: give it more seconds`,
    );
  const schedule = await predictSchedule(context, task);
  return { ...schedule, origin: "predicted", measured: null, measurements: measured, compilerRuns: 0 };
}
