// Tunes a kernel whose candidates another machine measures. Results that came back of the last batch become records, which decide, and the next batch
// is written. A batch that nobody has measured stays as it is.

import { DiagnosticError, factsOf } from "../../compiler/index.ts";
import { architectureOf } from "../../native/cuda/probe.ts";
import { withPrivateDirectory } from "../../native/file/private-directory.ts";
import { kernelFolder, kernelFolders } from "../../tuner/carried/carried-folder.ts";
import { type Collector, createCollector } from "../../tuner/carried/collecting-bench.ts";
import { importReturned, type Returned } from "../../tuner/carried/import-results.ts";
import { headerOf, removeOlder, writeKernelFolder } from "../../tuner/carried/kernel-folder.ts";
import { targetClass } from "../../tuner/data/key.ts";
import { taskKey } from "../../tuner/data/task-key.ts";
import { batchOf } from "../../tuner/remote/run-batch.ts";
import type { KernelContext } from "../kernel/context/kernel-context.ts";
import { decideSchedule } from "../kernel/decision/decide-schedule.ts";
import type { KernelDecision } from "../kernel/decision.ts";
import type { RequestMode } from "../kernel/kernel-request.ts";
import { openRecords, recordsFile } from "../kernel/tuning/open-records.ts";
import { warnOnce } from "../support/say-once.ts";

/** A kernel that another machine is to measure. */
export interface CarriedRequest {
  /** Its import, as people know it. */
  readonly kernel: string;
  /** Opens it. @param collector null: it is only looked at */
  contextFor(mode: RequestMode, collector: Collector | null): Promise<KernelContext>;
}

export interface CarriedRow {
  readonly kernel: string;
  /** Where its schedule comes from, "tuned", "lock" or "predicted"; "waiting" for the other machine, or "failed". */
  readonly origin: string;
  readonly gflops: number | null;
  /** Measurements that came back now. */
  readonly measured: number;
  /** Candidates in the folder that are to be measured. */
  readonly carried: number;
  readonly error: string | null;
}

type Next = Omit<CarriedRow, "kernel">;

/**
 * @param mode in which a kernel is tuned of which nothing has come back
 * @param folder the folder of all kernels
 */
export async function tuneCarried(request: CarriedRequest, mode: RequestMode, folder: string): Promise<CarriedRow> {
  const { kernel } = request;
  const row = { kernel, origin: "failed", gflops: null, measured: 0, carried: 0, error: null };
  try {
    const context = await request.contextFor(mode, null);
    const place = kernelFolder(folder, context.op.name, taskKey(context.task));
    const returned = importInto(context, place);
    if (returned.kind === "waiting" && mode !== "again")
      return { ...row, origin: "waiting", carried: returned.candidates };
    const tuned = await tuneNext(request, returned, mode, place);
    if (tuned.carried > 0) removeOlder(kernelFolders(folder), place, context.lockName);
    return { ...row, ...tuned };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { ...row, error: error.message };
  }
}

/** Adds what came back to the records of the project. */
function importInto({ task, services }: KernelContext, place: string): Returned {
  const warn = (line: string): void => warnOnce(services, "records", line);
  return importReturned(place, task, taskKey(task), openRecords(recordsFile(services.options.cacheDir), warn));
}

/** Decides by what is known, and writes the next batch. */
function tuneNext(request: CarriedRequest, returned: Returned, mode: RequestMode, place: string): Promise<Next> {
  return withPrivateDirectory(async (directory) => {
    const isMeasured = returned.kind === "measured";
    const measuredBy = isMeasured ? returned.measuredBy : (headerOf(place)?.measuredBy ?? null);
    const collector = createCollector(measuredBy, directory);
    const context = await request.contextFor(isMeasured ? "again" : mode, collector);
    const decided = await decide(context, collector);
    // Times of two visits are compared by those of the best one, which is measured again.
    if (!("error" in decided) && decided.measured) await collector.lead(decided.candidate);
    const carried = write(context, collector, measuredBy, place);
    const counts = { measured: isMeasured ? returned.added : 0, carried };
    if ("error" in decided) return { origin: "failed", gflops: null, error: decided.error, ...counts };
    const { origin, measured } = decided;
    return { origin, gflops: measured && factsOf(context.op).flops / measured.medianNs, error: null, ...counts };
  });
}

/** Decides on a kernel. Where nothing has run of what came back, others are still to be tried: that is no end. */
async function decide(
  context: KernelContext,
  collector: Collector,
): Promise<KernelDecision | { readonly error: string }> {
  try {
    return await decideSchedule(context);
  } catch (error) {
    if (!(error instanceof DiagnosticError) || collector.collected().length === 0) throw error;
    return { error: error.message };
  }
}

/** Writes what was collected. Returns the number of candidates. */
function write(context: KernelContext, collector: Collector, measuredBy: string | null, place: string): number {
  const { task, lockName } = context;
  const [all, opened] = [collector.collected(), collector.opened()];
  if (!opened || all.length === 0) return 0;
  const candidates = all.map(({ candidate }) => candidate);
  writeKernelFolder(place, {
    header: {
      name: lockName,
      architecture: architectureOf(task.target.features),
      targetClass: targetClass(task.target),
      compiler: opened.compiler,
      measuredBy,
    },
    batch: batchOf(task, taskKey(task), candidates),
    code: all.map(({ code }) => code),
    task: opened.run,
  });
  return candidates.length;
}
