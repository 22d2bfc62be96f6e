// A schedule on its way to a kernel: the task and the candidate, with the digest of the source that they generate.

import { asCpu, codegenVersion, printComputeDef, runsEverywhere, targets } from "../../compiler/index.ts";
import type { Decision } from "../../tuner/data/decision.ts";
import {
  type CacheSizes,
  cacheSizes,
  cachesOf,
  canonicalJson,
  type ScheduleKeyFields,
  scheduleKeyFields,
  withCaches,
} from "../../tuner/data/key.ts";
import type { TuningTask } from "../../tuner/data/task.ts";
import type { TunedFor } from "../../tuner/store/store-entry.ts";

/** Says whether a kernel runs everywhere by itself. All others have a WASM twin. */
export const isPortable = ({ target }: Pick<TuningTask, "target">): boolean => runsEverywhere(target);

/** Task of a kernel's WASM twin. Its schedule follows from the caches of the task's target, so that it is the same everywhere. */
export function wasmTask(task: TuningTask): TuningTask {
  if (isPortable(task)) return task;
  const caches = asCpu(task.target) ?? targets.wasm;
  return { ...task, target: { ...targets.wasm, ...cacheSizes(caches), threads: 1 }, threads: 1 };
}

/** Says whether a task is that of a machine with these caches. */
export const hasCaches = ({ target }: TuningTask, sizes: CacheSizes): boolean =>
  canonicalJson(cachesOf(target)) === canonicalJson(cacheSizes(sizes));

/**
 * Returns the task under which a decision is rebuilt: with the caches that it was tuned for. The task itself where they are its own,
 * so that its space is made once.
 *
 * @param sizes undefined: the decision says nothing of them, and was found by a key that has them
 */
export const taskFor = (task: TuningTask, sizes: CacheSizes | undefined): TuningTask =>
  sizes === undefined || hasCaches(task, sizes) ? task : { ...task, target: withCaches(task.target, sizes) };

/** Cache sizes of a kernel's schedule, and its class, as store and shared decisions keep them. */
export const tunedForOf = ({ classKey }: { readonly classKey: string }, { task }: Decision): TunedFor => ({
  class: classKey,
  ...cachesOf(task.target),
});

export const keyFields = (task: TuningTask): ScheduleKeyFields =>
  scheduleKeyFields(task, printComputeDef(task.op), codegenVersion);
