// A schedule on its way to a kernel: the task and the candidate, with the digest of the source that they generate.

import { codegenVersion, printComputeDef } from "../../compiler/index.ts";
import type { Candidate } from "../../tuner/space/space.ts";
import { type ScheduleKeyFields, scheduleKeyFields } from "../../tuner/store/key.ts";
import type { TuningTask } from "../../tuner/task.ts";

export interface Schedule {
  /** With the target that the decision was made for: the lock's caches shape the space, not this machine's. */
  readonly task: TuningTask;
  readonly candidate: Candidate;
  /** sha256 of the source: what a rebuild has to give. */
  readonly source: string;
}

export const keyFields = (task: TuningTask): ScheduleKeyFields =>
  scheduleKeyFields(task, printComputeDef(task.op), codegenVersion);
