// The kernels of a project → the data of its report, from lock, store and the records of the cache directory. No kernel is measured.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { readLockfile } from "../../tuner/lock/lockfile.ts";
import { readTunings } from "../../tuner/tuning/tuning-log.ts";
import { otherTargets } from "../kernel/compile/other-targets.ts";
import { type KernelContext, lockNameFor } from "../kernel/context/kernel-context.ts";
import { openRecords, recordsFile, tuningsFile } from "../kernel/tuning/open-records.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { type ParsedRequest, requestFor } from "../request/request.ts";
import { failAlone } from "../support/fail-alone.ts";
import { packageManagerOf } from "../support/package-manager.ts";
import { slashPath } from "../support/shown-path.ts";
import { compareKernels } from "./kernel-order.ts";
import { type History, kernelReport } from "./kernel-report.ts";
import { machineReport } from "./machine-report.ts";
import {
  type FailedKernel,
  type KernelReport,
  type ReportData,
  reportSchema,
  type ScheduleOrigin,
} from "./report-data.ts";
import { limitsSource, type Measuring } from "./roof.ts";

/** A kernel to report. */
export interface Reported {
  readonly request: ParsedRequest;
  /** Origin that a build has just given the schedule, as `kernelReport` takes it. */
  readonly built: ScheduleOrigin | null;
  /** The same of its schedules for other targets, by target; none: it has none, or a build of them is not known. */
  readonly others?: ReadonlyMap<string, ScheduleOrigin>;
}

export interface Collecting {
  readonly options: ResolvedOptions;
  /** Whether the limits of the machine may be measured. */
  readonly measuring: Measuring;
  warn(line: string): void;
  contextOf(request: ParsedRequest): Promise<KernelContext>;
}

/** Kernels that are imported under two spellings are one. A kernel whose operator file has a mistake is listed with the mistake. */
export async function collectReport(kernels: readonly Reported[], collecting: Collecting): Promise<ReportData> {
  const { root, cacheDir } = collecting.options;
  const history: History = {
    database: openRecords(recordsFile(cacheDir), collecting.warn),
    tunings: readTunings(tuningsFile(cacheDir)),
    limits: limitsSource(collecting.measuring),
  };
  const reports = new Map<string, KernelReport | FailedKernel>();
  const locked = await lockedNames(collecting.options);
  for (const kernel of kernels)
    for (const report of await reportsOf(kernel, locked, history, collecting)) reports.set(report.name, report);
  const sorted = [...reports.values()].sort(compareKernels);
  const { execute } = packageManagerOf(root);
  return {
    schema: reportSchema,
    project: projectName(root),
    commands: { tune: execute("unplugin-kernel tune"), report: execute("unplugin-kernel report") },
    machine: await machineReport(root),
    kernels: sorted,
  };
}

/** Name in the project's package.json, else that of its folder. */
function projectName(root: string): string {
  try {
    const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly name?: unknown };
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // package.json is missing or cannot be read.
  }
  return basename(root);
}

/** Names of the lock's entries; none where it cannot be read, which each kernel's own report says. */
async function lockedNames({ lockfile }: ResolvedOptions): Promise<ReadonlySet<string>> {
  const content = await readLockfile(lockfile);
  return new Set(content.kind === "broken" ? [] : content.entries.keys());
}

/**
 * Reports a kernel, then its schedules for classes of engines and other processors: those that options ask for, and those that the lock has,
 * as the command line does not know the bundler's options.
 */
async function reportsOf(
  { request, built, others = new Map() }: Reported,
  locked: ReadonlySet<string>,
  history: History,
  { contextOf, options }: Collecting,
): Promise<readonly (KernelReport | FailedKernel)[]> {
  const reports: (KernelReport | FailedKernel)[] = [];
  const add = async (asked: ParsedRequest, origin: ScheduleOrigin | null): Promise<KernelContext | null> => {
    const name = slashPath(options.root, asked.path) + asked.query;
    try {
      return await failAlone(name, null, async () => {
        const context = await contextOf(asked);
        reports.push(await kernelReport(context, history, origin));
        return context;
      });
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      reports.push({ kind: "failed", name, error: error.message });
      return null;
    }
  };
  const context = await add(request, built);
  if (!context) return reports;
  const asked = otherTargets(context.task.target, options);
  for (const target of otherTargets(context.task.target)) {
    if (asked.includes(target) || locked.has(lockNameFor(context, target)))
      await add(requestFor(request, target), others.get(target) ?? null);
  }
  return reports;
}
