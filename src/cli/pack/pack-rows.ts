// The kernels of a project that a pack can have: those that lock or store has measured, each with its decision.

import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import { knownSchedule } from "../../plugin/kernel/decision/known-schedule.ts";
import { keyFields, tunedForOf } from "../../plugin/kernel/schedule.ts";
import { generated } from "../../plugin/kernel/source/schedule-source.ts";
import { scheduleKey } from "../../tuner/data/key.ts";
import type { SharedDecision } from "../../tuner/store/exchange.ts";
import { contextOrNull } from "../decisions/exchange.ts";
import type { Project } from "../project/project.ts";

export interface PackRow {
  /** Name of the kernel in the lock. */
  readonly kernel: string;
  readonly decision: SharedDecision;
}

export interface PackRows {
  readonly packed: readonly PackRow[];
  /** Kernels without a decision, by what is missing. */
  readonly left: readonly { readonly kernel: string; readonly why: string }[];
}

export async function packRows(project: Project): Promise<PackRows> {
  const packed: PackRow[] = [];
  const left: { kernel: string; why: string }[] = [];
  for (const request of kernelsOf(await project.imports())) {
    const context = await contextOrNull(project, request);
    if (!context) continue;
    const kernel = context.lockName;
    const schedule = await knownSchedule(context);
    const { measured, candidate, source, task } = schedule;
    if (!measured) left.push({ kernel, why: "it has not been tuned" });
    else if (!generated(schedule)) left.push({ kernel, why: "its decisions do not lead to its source" });
    else {
      const tunedFor = tunedForOf(context, schedule);
      packed.push({ kernel, decision: { key: scheduleKey(keyFields(task)), candidate, source, measured, tunedFor } });
    }
  }
  return { packed, left };
}
