// Looks for the predicted schedule of a task, without the store.

import { DiagnosticError } from "../../compiler/index.ts";
import { predict } from "../../tuner/predict.ts";
import { explainSpace } from "../../tuner/space/explain-space.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import type { Space } from "../../tuner/space/space.ts";
import type { TuningTask } from "../../tuner/task.ts";
import type { KernelContext } from "./kernel-context.ts";
import type { Schedule } from "./schedule.ts";
import { scheduleOf } from "./schedule-source.ts";

/** @throws DiagnosticError `space.empty` */
export function makePrediction({ lockName }: KernelContext, task: TuningTask): Schedule {
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
