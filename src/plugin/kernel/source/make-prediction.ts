// Looks for the predicted schedule of a task, without the store.

import { DiagnosticError } from "../../../compiler/index.ts";
import type { Candidate, Space } from "../../../tuner/data/space.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import { guess, predict } from "../../../tuner/search/predict.ts";
import { explainSpaceFully } from "../../../tuner/space/explain-space.ts";
import type { GeneratedSpace } from "../../../tuner/space/generate.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { Schedule } from "../schedule.ts";
import { scheduleOf, smallSpaceOf, spaceOf } from "./schedule-source.ts";

type Search = (space: GeneratedSpace) => Candidate | null;

/** @throws DiagnosticError `space.empty` */
export const makePrediction = (context: KernelContext, task: TuningTask): Promise<Schedule> =>
  make(context, task, spaceOf(task), predict);

/**
 * Predicts a schedule in a tenth of the time of `makePrediction`, and not as good a one.
 *
 * @throws DiagnosticError `space.empty`
 */
export function makeGuess(context: KernelContext, task: TuningTask): Promise<Schedule> {
  const own = { ...task };
  return make(context, own, smallSpaceOf(own), guess);
}

async function make(
  { lockName }: KernelContext,
  task: TuningTask,
  space: GeneratedSpace,
  search: Search,
): Promise<Schedule> {
  const candidate = search(space);
  if (!candidate) throw await emptySpace(lockName, space);
  return scheduleOf(task, space, candidate);
}

export async function emptySpace(lockName: string, space: Space): Promise<DiagnosticError> {
  const { message, detail } = await explainSpaceFully(space);
  return new DiagnosticError({
    code: "space.empty",
    message: `${lockName}: ${message}`,
    loc: null,
    hint: null,
    detail,
  });
}
