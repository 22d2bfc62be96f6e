// The predicted schedule of a task: the same on every machine that has the same caches, and kept in the store, because
// looking for it takes longer than all else of a build that measures nothing.

import { predictionKey } from "../../../tuner/data/key.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { storeSchema } from "../../../tuner/store/store-entry.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { keyFields, type Schedule } from "../schedule.ts";

/** @throws DiagnosticError `space.empty` */
export async function predictSchedule(context: KernelContext, task: TuningTask): Promise<Schedule> {
  const key = predictionKey(keyFields(task));
  const known = await context.store.entry(key);
  if (known?.kind === "schedule") return { task, candidate: known.candidate, source: known.source };
  const { makePrediction } = await import("./make-prediction.ts");
  const schedule = await makePrediction(context, task);
  const { candidate, source } = schedule;
  await context.store.putEntry(key, { kind: "schedule", schema: storeSchema, candidate, source, measured: null });
  return schedule;
}
