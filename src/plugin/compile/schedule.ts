// A schedule on its way to a kernel: the task and the candidate, with the digest of the source that they generate.

import { codegenVersion, printComputeDef, targets } from "../../compiler/index.ts";
import type { Candidate } from "../../tuner/space/space.ts";
import { type ScheduleKeyFields, scheduleKeyFields } from "../../tuner/store/key.ts";
import type { TuningTask } from "../../tuner/task.ts";

export interface Schedule {
  /** Task with the target that the decision was made for: the lock's caches shape the space, not this machine's. */
  readonly task: TuningTask;
  readonly candidate: Candidate;
  /** sha256 of the source: what a rebuild has to give. */
  readonly source: string;
}

/** Task of a kernel's WASM twin. Its schedule follows from the caches of the task's target, so that it is the same everywhere. */
export function wasmTask(task: TuningTask): TuningTask {
  if (task.target.codegen === "wasm") return task;
  const { l1Bytes, l2Bytes, l3Bytes } = task.target;
  return { ...task, target: { ...targets.wasm, l1Bytes, l2Bytes, l3Bytes, threads: 1 }, threads: 1 };
}

export const keyFields = (task: TuningTask): ScheduleKeyFields =>
  scheduleKeyFields(task, printComputeDef(task.op), codegenVersion);
