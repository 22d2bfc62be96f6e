// Which records a tuning takes for what. Of its own task, target class, compiler and code generator: measurements. Of other
// tasks, and of its own by another code generator: relatives, which correct the prior and give candidates to begin with.

import { codegenVersion } from "../compiler/index.ts";
import type { RecordDatabase } from "./record/database.ts";
import type { TuningRecord } from "./record/record.ts";
import { targetClass } from "./store/key.ts";
import type { TuningTask } from "./task.ts";
import type { Workbench } from "./workbench.ts";

export interface RecordSource {
  readonly database: RecordDatabase;
  readonly taskKey: string;
  readonly workbench: Pick<Workbench, "toolchain">;
}

/** What this version would measure again just so. */
export const ownRecords = (
  { target }: TuningTask,
  { database, taskKey, workbench: { toolchain } }: RecordSource,
): readonly TuningRecord[] =>
  database.records({ task: taskKey, targetClass: targetClass(target), toolchain, codegen: codegenVersion });

/** Measured on the same machine, by the same compiler. */
export const recordsOfRelatives = (
  { target }: TuningTask,
  { database, taskKey, workbench: { toolchain } }: RecordSource,
): readonly TuningRecord[] =>
  database
    .records({ task: null, targetClass: targetClass(target), toolchain })
    .filter(({ task, codegen }) => task !== taskKey || codegen !== codegenVersion);

/** Records of each task by one code generator, in the order in which they begin: times of two are not compared. */
export function generations(records: readonly TuningRecord[]): readonly (readonly TuningRecord[])[] {
  const groups = new Map<string, TuningRecord[]>();
  for (const record of records) {
    const name = `${record.task} ${record.codegen}`;
    const group = groups.get(name);
    if (group) group.push(record);
    else groups.set(name, [record]);
  }
  return [...groups.values()];
}

/** Of each task one generation: that of this version, else the one that was measured last. */
export function newestGenerations(records: readonly TuningRecord[]): readonly (readonly TuningRecord[])[] {
  const newest = new Map<string, readonly TuningRecord[]>();
  for (const group of generations(records)) {
    const { task } = group[0]!;
    if (newest.get(task)?.[0]?.codegen !== codegenVersion) newest.set(task, group);
  }
  return [...newest.values()];
}
