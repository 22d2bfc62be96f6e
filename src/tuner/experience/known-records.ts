// Sorts records by what a tuning may use them for. Measurements: its own task, target class, compiler and code generator.
// Relatives, which correct the prior and give first candidates: other tasks, and its own by another code generator.

import { codegenVersion } from "../../compiler/index.ts";
import { targetClass } from "../data/key.ts";
import type { TuningRecord } from "../data/record.ts";
import type { TuningTask } from "../data/task.ts";
import type { RecordDatabase } from "../record/database.ts";
import type { Workbench } from "../workbench/workbench.ts";

export interface RecordSource {
  readonly database: RecordDatabase;
  readonly taskKey: string;
  readonly workbench: Pick<Workbench, "toolchain">;
}

/** Returns records of the same task that this version would measure again under the same conditions. */
export const ownRecords = (
  { target }: TuningTask,
  { database, taskKey, workbench: { toolchain } }: RecordSource,
): readonly TuningRecord[] =>
  database.records({ task: taskKey, targetClass: targetClass(target), toolchain, codegen: codegenVersion });

/** Returns records of relatives measured on the same class of machine, by the same compiler. */
export const recordsOfRelatives = (
  { target }: TuningTask,
  { database, taskKey, workbench: { toolchain } }: RecordSource,
): readonly TuningRecord[] =>
  database
    .records({ task: null, targetClass: targetClass(target), toolchain })
    .filter(({ task, codegen }) => task !== taskKey || codegen !== codegenVersion);

/** Groups records by task and code generator, in the order in which the groups begin: times of two are not compared. */
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

/** Returns one generation of each task: that of this version, else the one that was measured last. */
export function newestGenerations(records: readonly TuningRecord[]): readonly (readonly TuningRecord[])[] {
  const newest = new Map<string, readonly TuningRecord[]>();
  for (const group of generations(records)) {
    const { task } = group[0]!;
    if (newest.get(task)?.[0]?.codegen !== codegenVersion) newest.set(task, group);
  }
  return [...newest.values()];
}
