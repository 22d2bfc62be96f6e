// One tuning from start to end: space → propose → build, check, time → learn → record; then the finalists race.

import type { TuningTask } from "../data/task.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { startTuning, type TuneResult, type TuningOptions } from "./tuning.ts";

export async function tune(task: TuningTask, space: GeneratedSpace, options: TuningOptions): Promise<TuneResult> {
  const tuning = await startTuning(task, space, options);
  while (await tuning.advance());
  return tuning.finish();
}
