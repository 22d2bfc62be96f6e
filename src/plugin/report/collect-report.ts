// The kernels of a project → the data of its report, from lock, store and the records of the cache directory. No kernel is measured.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { readTunings } from "../../tuner/tuning/tuning-log.ts";
import type { KernelContext } from "../kernel/context/kernel-context.ts";
import { openRecords, recordsFile, tuningsFile } from "../kernel/tuning/open-records.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { ParsedRequest } from "../request/request.ts";
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
  for (const kernel of kernels) {
    const report = await reportOf(kernel, history, collecting);
    reports.set(report.name, report);
  }
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

async function reportOf(
  { request, built }: Reported,
  history: History,
  { contextOf, options: { root } }: Collecting,
): Promise<KernelReport | FailedKernel> {
  const name = slashPath(root, request.path) + request.query;
  try {
    return await failAlone(name, null, async () => kernelReport(await contextOf(request), history, built));
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { kind: "failed", name, error: error.message };
  }
}
