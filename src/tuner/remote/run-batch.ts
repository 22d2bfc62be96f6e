// Measures a batch on the machine that it was brought to: its candidates are rebuilt from their decisions, checked and timed.
// Results become records where they came from, under the target class and the toolchain that measured them.

import { codegenVersion, printComputeDef } from "../../compiler/index.ts";
import type { CacheState } from "../../native/runner/protocol.ts";
import { extentsOf, familyOf } from "../data/family.ts";
import { recordSchema, type TuningRecord } from "../data/record.ts";
import type { Candidate } from "../data/space.ts";
import { encodeTarget } from "../data/target-json.ts";
import type { TuningTask } from "../data/task.ts";
import { findPoint, searchSpace } from "../search/point/search-space.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { measurable } from "../workbench/measurable.ts";
import { type MeasurableSource, measureAll, type Refusal, type Workbench } from "../workbench/workbench.ts";
import { type Batch, type BatchResult, type BatchResults, batchSchema } from "./batch.ts";

/** Default seed of `referenceTask`'s inputs. */
export const inputSeed = 1;

export const batchOf = (
  task: TuningTask,
  taskKey: string,
  candidates: readonly Candidate[],
  cache: CacheState = "hot",
): Batch => ({
  kind: "batch",
  schema: batchSchema,
  codegen: codegenVersion,
  task: taskKey,
  operator: printComputeDef(task.op),
  target: encodeTarget(task.target),
  numerics: task.numerics,
  threads: task.threads,
  constants: task.constants ?? null,
  cache,
  inputSeed,
  candidates,
});

/** Returns why results or a batch do not fit a task, or null if they do. */
export function foreignness({ task, codegen }: Batch | BatchResults, taskKey: string): string | null {
  if (codegen !== codegenVersion) return `it is of version ${codegen}, this is ${codegenVersion}`;
  return task === taskKey ? null : "it is of another operator, or another shape, type or space of it";
}

export interface BatchPlace {
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
  readonly workbench: Workbench;
  /** Target class of the machine that measures; the task has that of the machine that asked. */
  readonly targetClass: string;
}

/** Measures all candidates. A candidate that the space does not hold counts as failed to build. */
export async function measureBatch(
  batch: Batch,
  digest: string,
  { task, space, workbench, targetClass }: BatchPlace,
): Promise<BatchResults> {
  const measurements = await measureAll(workbench, batchSourcesOf(batch.candidates, task, space));
  const results = batch.candidates.map((candidate, at): BatchResult => ({ candidate, measurement: measurements[at]! }));
  const { toolchain } = workbench;
  const origin = { codegen: batch.codegen, batch: digest, task: batch.task };
  return { kind: "results", schema: batchSchema, ...origin, targetClass, toolchain, results };
}

/** Yields the source of each candidate; one that the space does not hold is refused. */
export function* batchSourcesOf(
  candidates: readonly Candidate[],
  task: TuningTask,
  space: GeneratedSpace,
): Generator<MeasurableSource | Refusal> {
  const search = searchSpace(space);
  for (const candidate of candidates) yield findPoint(search, candidate) ? measurable(task, space, candidate) : unknown;
}

const unknown: Refusal = { kind: "build-failed", reason: "the space has no such candidate" };

/** Makes records of results, in their order. */
export const recordsOfResults = ({ results, ...of }: BatchResults, task: TuningTask): readonly TuningRecord[] =>
  results.map(({ candidate, measurement }, trial) => ({
    schema: recordSchema,
    task: of.task,
    family: familyOf(task),
    extents: extentsOf(task.op),
    targetClass: of.targetClass,
    toolchain: of.toolchain,
    codegen: of.codegen,
    candidate,
    facts: null,
    measurement,
    trial,
  }));
