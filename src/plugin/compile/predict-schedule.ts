// The predicted schedule of a task: the same on every machine that has the same caches, and kept in the store, because
// looking for it takes longer than all else of a build that measures nothing.

import { DiagnosticError } from "../../compiler/index.ts";
import { predict } from "../../tuner/predict.ts";
import { explainSpace } from "../../tuner/space/explain-space.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import type { Space } from "../../tuner/space/space.ts";
import { predictionKey } from "../../tuner/store/key.ts";
import { storeSchema } from "../../tuner/store/store-entry.ts";
import type { TuningTask } from "../../tuner/task.ts";
import type { KernelContext } from "./kernel-context.ts";
import { keyFields, type Schedule, scheduleOf } from "./schedule.ts";

/** @throws DiagnosticError `space.empty` */
export async function predictSchedule(context: KernelContext, task: TuningTask): Promise<Schedule> {
  const key = predictionKey(keyFields(task));
  const known = await context.store.entry(key);
  if (known?.kind === "schedule") return { task, candidate: known.candidate, source: known.source };
  const schedule = newPrediction(context, task);
  const { candidate, source } = schedule;
  await context.store.putEntry(key, { kind: "schedule", schema: storeSchema, candidate, source, measured: null });
  return schedule;
}

/** Without the store. */
export function newPrediction({ lockName }: KernelContext, task: TuningTask): Schedule {
  const space = generateSpace(task);
  const candidate = predict(space);
  if (!candidate) throw emptySpace(lockName, space);
  return scheduleOf(task, space, candidate);
}

export function emptySpace(lockName: string, space: Space): DiagnosticError {
  const { message, detail } = explainSpace(space);
  return new DiagnosticError({
    code: "space.empty",
    message: `${lockName}: ${message}`,
    loc: null,
    hint: null,
    detail,
  });
}
