// A fixed schedule of a task, the predicted one, timed at the start and the end of each run: whether the machine was then
// as it usually is. Its code is made by a process of its own, so that no run begins with what another has warmed up.

import { readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { sha256 } from "../../../src/compiler/index.ts";
import type { RunTask } from "../../../src/native/runner/protocol.ts";
import { measurable } from "../../../src/tuner/measurable.ts";
import { median } from "../../../src/tuner/measure/statistics.ts";
import { predict } from "../../../src/tuner/predict.ts";
import { referenceTask } from "../../../src/tuner/reference.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import type { TuningTask } from "../../../src/tuner/task.ts";
import type { MeasurableSource, Workbench } from "../../../src/tuner/workbench.ts";

export interface Sentinel {
  readonly source: MeasurableSource;
  /** What its workbench takes: inputs and right answers. */
  readonly task: RunTask;
  readonly digest: string;
}

export function makeSentinel(task: TuningTask): Sentinel {
  const space = generateSpace(task);
  const candidate = predict(space);
  const source = candidate && measurable(task, space, candidate);
  if (!source || source.kind === "build-failed") throw new Error(`${task.op.name} has no predicted schedule`);
  const code = source.kind === "c" ? source.text : Buffer.from(source.bytes).toString("base64");
  return { source, task: referenceTask(task), digest: sha256(code).slice(0, 12) };
}

export const writeSentinel = (path: string, sentinel: Sentinel): void => writeFileSync(path, serialize(sentinel));
export const readSentinel = (path: string): Sentinel => deserialize(readFileSync(path)) as Sentinel;

const repeats = 7;

/** Median of several measurements of one source; null: it did not run. */
export async function timeOf(workbench: Workbench, source: MeasurableSource): Promise<number | null> {
  const outcomes = workbench.measure(Array<MeasurableSource>(repeats).fill(source), null);
  const times: number[] = [];
  for (let next = await outcomes.next(); !next.done; next = await outcomes.next()) {
    if (next.value.kind === "ok") times.push(next.value.timing.medianNs);
  }
  return times.length > 0 ? median(times) : null;
}
