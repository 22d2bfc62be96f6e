// The part of `unplugin-kernel/api` that measures given schedules: here, or by a file on another machine.

import { type DiagnosticError, needsToolchain, type Op } from "../compiler/index.ts";
import { ownCompiler } from "../native/backend/own-compiler.ts";
import { withDirectoryIf } from "../native/file/private-directory.ts";
import { detectMachine, hostTarget, missingFeatures, whyNotMeasuredHere } from "../native/machine/machine.ts";
import type { CacheState } from "../native/runner/protocol.ts";
import { toolchainFor } from "../native/toolchain/detect.ts";
import { targetClass } from "../tuner/data/key.ts";
import type { Measurement } from "../tuner/data/measurement.ts";
import type { Candidate } from "../tuner/data/space.ts";
import { targetOfJson } from "../tuner/data/target-json.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import { openDatabase } from "../tuner/record/database.ts";
import { importRecords, linesOf, type Merged } from "../tuner/record/merge.ts";
import {
  type Batch,
  type BatchResults,
  batchText,
  type Opened,
  openBatch,
  openResults,
  resultsText,
} from "../tuner/remote/batch.ts";
import { batchOf, foreignness, measureBatch, recordsOfResults } from "../tuner/remote/run-batch.ts";
import { checkIntrinsics } from "../tuner/workbench/intrinsic-oracle.ts";
import { measurable } from "../tuner/workbench/measurable.ts";
import type { OwnBuilder } from "../tuner/workbench/own-builder.ts";
import type { OwnRunner } from "../tuner/workbench/own-runner.ts";
import { measureAll, type Workbench } from "../tuner/workbench/workbench.ts";
import { type BenchOptions, workbenchFor } from "./bench.ts";
import { type KernelOptions, refusal, spaceOf, taskKeyOf, taskOf } from "./task.ts";

export interface MeasureOptions extends KernelOptions {
  /** State of the caches when a run begins; default: "hot". docs/measurement.md */
  readonly cache?: CacheState;
  /** Number of samples; default: 25. */
  readonly samples?: number;
  /** Builder of your own, in place of the compiler that is found here. docs/extending.md */
  readonly builder?: OwnBuilder;
  /** Runner of your own, in place of this machine's measuring process. docs/extending.md */
  readonly runner?: OwnRunner;
  readonly signal?: AbortSignal;
}

/**
 * Builds one schedule, checks its results and times it on this machine.
 *
 * @example
 * const [hot, cold] = [await measure(gemm, schedule, { target }), await measure(gemm, schedule, { target, cache: "cold" })];
 * if (cold.kind === "ok") console.log(cold.timing.medianNs, noiseOf(cold.timing));
 */
export async function measure(op: Op, schedule: Candidate, options: MeasureOptions): Promise<Measurement> {
  const task = taskOf(op, options);
  const { cache, samples = 25, signal, builder, runner } = options;
  const source = measurable(task, spaceOf(task, options), schedule);
  const outcome = await onWorkbench({ task, cache, samples, signal, builder, runner }, async (workbench) => {
    const [measurement] = await measureAll(workbench, [source]);
    return measurement;
  });
  return outcome!;
}

/** Schedules to be measured on another machine, as the text of a file for `runBatch` there. */
export function exportBatch(op: Op, schedules: readonly Candidate[], options: MeasureOptions): string {
  const task = taskOf(op, options);
  if (task.target.own !== undefined || task.target.intrinsics) throw onlyHere();
  return batchText(batchOf(task, taskKeyOf(task, spaceOf(task, options), options), schedules, options.cache));
}

const onlyHere = (): DiagnosticError =>
  refusal("batch.own-target", "a target or intrinsics of one's own are not sent to other machines", null);

export type BatchRunOptions = Pick<KernelOptions, "parameters" | "rules" | "templates"> &
  Pick<MeasureOptions, "samples" | "signal">;

/**
 * Builds, checks and times a batch's schedules on this machine; the results, as the text of a file for `importResults`. The
 * operator comes from the caller and has to be the one that the batch was made for.
 *
 * @throws DiagnosticError `batch.malformed`, `batch.foreign`, `batch.missing-features`
 */
export async function runBatch(op: Op, batch: string, options: BatchRunOptions = {}): Promise<string> {
  const { body, digest } = trusted(openBatch(batch));
  const { numerics, threads, constants, cache } = body;
  const target = targetOfJson(body.target);
  const asked = { ...options, target: target.name, numerics, ...(constants && { constants }) };
  const task: TuningTask = { ...taskOf(op, asked), target, threads };
  const space = spaceOf(task, asked);
  const machine = detectMachine();
  const missing = missingFeatures(target, machine).join(", ");
  if (missing) throw refusal("batch.missing-features", `this machine cannot run the batch: it lacks ${missing}`, null);
  const why = whyNotMeasuredHere(target, machine);
  if (why) throw refusal("batch.missing-features", `this machine cannot measure the batch: ${why}`, null);
  own(body, taskKeyOf(task, space, asked));
  const here = targetClass({ ...hostTarget(target.name, machine), threads: target.threads });
  return onWorkbench({ task, cache, samples: options.samples, signal: options.signal }, async (workbench) =>
    resultsText(await measureBatch(body, digest, { task, space, workbench, targetClass: here })),
  );
}

export interface ImportedResults extends Merged {
  /** Class of the machine that measured: only tunings for such machines, with the same compiler, use the records. */
  readonly targetClass: string;
  readonly toolchain: string;
}

/**
 * Adds the results of a batch to the records at `records`, as measurements of the machine that made them.
 *
 * @throws DiagnosticError `batch.malformed`, `batch.foreign`
 */
export function importResults(
  op: Op,
  results: string,
  options: KernelOptions & { readonly records: string },
): ImportedResults {
  const { body } = trusted(openResults(results));
  const task = taskOf(op, options);
  own(body, taskKeyOf(task, spaceOf(task, options), options));
  const merged = importRecords(openDatabase(options.records), linesOf(recordsOfResults(body, task)));
  return { ...merged, targetClass: body.targetClass, toolchain: body.toolchain };
}

function trusted<T>(opened: Opened<T>): Extract<Opened<T>, { kind: "ok" }> {
  if (opened.kind === "ok") return opened;
  throw refusal("batch.malformed", `the file is not used: ${opened.reason}`, null);
}

function own(body: Batch | BatchResults, taskKey: string): void {
  const reason = foreignness(body, taskKey);
  if (reason !== null) throw refusal("batch.foreign", `the file is not used: ${reason}`, null);
}

interface OnWorkbench extends Omit<BenchOptions, "toolchain" | "compiler" | "directory"> {
  readonly task: TuningTask;
}

function onWorkbench<T>({ task, ...options }: OnWorkbench, work: (on: Workbench) => Promise<T>): Promise<T> {
  return withDirectoryIf(needsToolchain(task.target), async (directory) => {
    const [toolchain, compiler] = await Promise.all([toolchainFor(task.target), ownCompiler(task.target)]);
    await checkIntrinsics(task.target, toolchain);
    const workbench = workbenchFor(task, { ...options, toolchain, compiler, directory });
    try {
      return await work(workbench);
    } finally {
      await workbench.close();
    }
  });
}
