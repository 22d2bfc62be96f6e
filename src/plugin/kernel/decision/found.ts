// Where a schedule comes from, with what is known of it → the decision on a kernel.

import type { Decision } from "../../../tuner/data/decision.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import type { LockEntry } from "../../../tuner/lock/lock-entry.ts";
import type { Measured } from "../../../tuner/store/store-entry.ts";
import type { Origin } from "../compiled-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision, OutsideDecision } from "../decision.ts";

export const found = (origin: Origin, schedule: Decision, measured: Measured | null): KernelDecision => {
  const { task, candidate, source } = schedule;
  return { origin, task, candidate, source, measured, measurements: 0, compilerRuns: 0 };
};

export const foundOutside = (origin: Origin, { schedule, measured, from }: OutsideDecision): KernelDecision => ({
  ...found(origin, schedule, measured),
  from,
});

/** @param standInFor task that a kernel of another target is for; default: the entry is the kernel's own */
export function fromEntry({ task }: KernelContext, entry: LockEntry, standInFor?: TuningTask): KernelDecision {
  const { candidate, source, measured, target } = entry;
  const schedule = { task: standInFor ?? { ...task, target }, candidate, source };
  return found(standInFor ? "same-isa" : "lock", schedule, measured);
}
