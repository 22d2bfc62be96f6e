// Tunes the tasks of a program on this machine within one total of seconds: each has a workbench, one process measures.

import { factsOf, needsToolchain } from "../../compiler/index.ts";
import { ownCompiler } from "../../native/backend/own-compiler.ts";
import { withDirectoryIf } from "../../native/file/private-directory.ts";
import { nowMs } from "../../native/machine/clock.ts";
import { createRunner } from "../../native/runner/client.ts";
import { createSharedRunner, type SharedRunner } from "../../native/runner/shared-runner.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import { familyOnTarget } from "../data/family.ts";
import type { TuningTask } from "../data/task.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { startTuning } from "../tuning/start-tuning.ts";
import type { TimedTrial, TuneProgress, TuneResult, TuningOptions } from "../tuning/tuning.ts";
import { referenceOf } from "../workbench/reference.ts";
import { createWorkbench, type Workbench } from "../workbench/workbench.ts";
import { groupConvergence } from "./group-convergence.ts";
import type { SchedulingPolicy } from "./policy.ts";
import { createTuningGroup, type Turns } from "./tuning-group.ts";

export interface WeightedTask {
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
  readonly weight: number;
  /** Digest of the task, which records carry. */
  readonly taskKey: string;
}

export interface TuneTasksOptions
  extends Pick<
    TuningOptions,
    "budget" | "strategy" | "seed" | "database" | "signal" | "costModel" | "features" | "mutators"
  > {
  readonly policy: SchedulingPolicy;
  readonly totalMs: number;
  /** Compiler for native targets; null where there is none. */
  readonly toolchain: Toolchain | null;
  readonly cores: number;
  /** Called before each round of a task; `at` is the task's index. */
  readonly onProgress?: ((at: number, progress: TuneProgress) => void) | undefined;
  /**
   * Makes the workbench of a task, where a user's builder or runner measures; default: one on this machine, which all share. `compiler` is
   * the identity of the one that the back end brings.
   */
  readonly workbench?:
    | ((task: TuningTask, directory: string, compiler: string | null | undefined) => Workbench)
    | undefined;
  /** Called with each measurement of a task; `at` is the task's index. */
  readonly onTrial?: ((at: number, trial: TimedTrial) => void) | undefined;
}

/**
 * Returns results in the order of the tasks, failures included: others go on. Nothing runs any more when the promise
 * settles.
 */
export function tuneTasks(
  tasks: readonly WeightedTask[],
  options: TuneTasksOptions,
): Promise<readonly PromiseSettledResult<TuneResult>[]> {
  const { policy, totalMs, signal } = options;
  const group = createTuningGroup({ policy, totalMs, clock: nowMs, signal });
  const runner = createSharedRunner(() => createRunner({ signal, relaxedSimd: true }));
  const isNative = tasks.some(({ task }) => needsToolchain(task.target));
  return withDirectoryIf(isNative, async (directory) => {
    const running = tasks.map(async (task, at) => {
      let close = async (): Promise<void> => undefined;
      try {
        const compiler = await ownCompiler(task.task.target);
        return await group.tune({
          weight: () => task.weight,
          flops: factsOf(task.task.op).flops,
          family: familyOnTarget(task.task),
          start(turns) {
            const workbench =
              options.workbench?.(task.task, directory, compiler) ??
              workbenchFor(task.task, { directory, runner, compiler }, options);
            close = workbench.close;
            return startTuning(task.task, task.space, tuningOptions(task, at, workbench, turns, options));
          },
          finish: (tuning) => tuning.finish(),
        });
      } finally {
        await close();
      }
    });
    return Promise.allSettled(running);
  });
}

const workbenchFor = (
  task: TuningTask,
  { directory, runner, compiler }: { directory: string; runner: SharedRunner; compiler: string | null | undefined },
  { toolchain, signal, cores }: TuneTasksOptions,
): Workbench =>
  createWorkbench({
    ...referenceOf(task),
    toolchain: needsToolchain(task.target) ? toolchain : null,
    compiler,
    directory,
    signal,
    cores,
    threads: task.threads,
    runner: runner.open(),
  });

const tuningOptions = (
  { task, taskKey }: WeightedTask,
  at: number,
  workbench: Workbench,
  turns: Turns,
  { budget, strategy, seed, database, signal, onProgress, onTrial, costModel, features, mutators }: TuneTasksOptions,
): TuningOptions => ({
  budget,
  strategy,
  seed,
  taskKey,
  database,
  workbench,
  clock: turns.clock,
  startMs: 0,
  isOver: turns.isOver,
  leftMs: turns.leftMs,
  convergence: groupConvergence(task.target),
  signal,
  onProgress: (progress) => onProgress?.(at, progress),
  onTrial: onTrial && ((trial) => onTrial(at, trial)),
  ...(costModel && { costModel }),
  ...(features !== undefined && { features }),
  mutators,
});
