// `tune --all-targets`: kernels × classes of workers → an entry in the lock for each target. A kernel for `native` gets the target of
// each class, one for a named target is measured on the first class that serves it, and with --engines so are its schedules for engines.

import { DiagnosticError, type EngineClass, factsOf, type TargetName, targetForEngine } from "../../compiler/index.ts";
import type { Fleet, FleetClass } from "../../plugin/fleet/open-fleet.ts";
import type { KernelContext } from "../../plugin/kernel/context/kernel-context.ts";
import type { RequestMode } from "../../plugin/kernel/kernel-request.ts";
import { progressLine } from "../../plugin/log/progress.ts";
import { type ParsedRequest, requestFor } from "../../plugin/request/request.ts";
import { machineOf } from "../../tuner/fleet/worker-class.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { exitCodes, type Outcome } from "./command.ts";
import type { Project } from "./project.ts";
import { unwrittenLock } from "./unwritten-lock.ts";

export interface TargetCell {
  readonly request: ParsedRequest;
  readonly of: FleetClass;
  readonly context: KernelContext;
}

export interface CellRow {
  readonly kernel: string;
  readonly origin: string;
  readonly gflops: number | null;
  readonly measured: number;
  readonly error: string | null;
}

/** Cells of the table, one for each name in the lock. Kernels that no class serves are left out, and named. */
export async function cellsOf(
  project: Project,
  kernels: readonly ParsedRequest[],
  fleet: Fleet,
  mode: RequestMode,
): Promise<readonly TargetCell[]> {
  const cells = new Map<string, TargetCell>();
  for (const request of kernels.flatMap((it) => [it, ...forEngines(it, project.options.engines)])) {
    const before = cells.size;
    for (const of of fleet.classes) {
      const named = withTarget(request, of);
      if (!named) continue;
      const context = await project.contextOf(named, mode, { fleet, machine: machineOf(of.of, of.cores) });
      const isServed = context.elsewhere !== null;
      if (isServed && !cells.has(context.lockName)) cells.set(context.lockName, { request: named, of, context });
    }
    if (cells.size === before)
      project.session.log().warn(`${request.path}${request.query}: no worker of the fleet serves its target`);
  }
  return [...cells.values()];
}

/** Requests for the schedules that a kernel for all engines has for classes of them. */
function forEngines(request: ParsedRequest, engines: readonly EngineClass[]): readonly ParsedRequest[] {
  return engines.flatMap((engine) => {
    const target = targetForEngine({ name: request.settings.target }, engine);
    return target === null ? [] : [requestFor(request, target)];
  });
}

/** The request with the class's meaning of `native`; null: the class does not serve the target that it names. */
function withTarget(request: ParsedRequest, { of }: FleetClass): ParsedRequest | null {
  const { target } = request.settings;
  if (target !== "native") return of.targets.includes(target as TargetName) ? request : null;
  return { ...request, settings: { ...request.settings, target: of.native } };
}

/** Tunes one cell: its entry is in the lock then. */
export async function tuneCell(
  { context }: TargetCell,
  onProgress: NonNullable<KernelContext["services"]["onProgress"]>,
): Promise<CellRow> {
  const kernel = context.lockName;
  const { decideSchedule } = await import("../../plugin/kernel/decision/decide-schedule.ts");
  try {
    const decided = await decideSchedule({ ...context, services: { ...context.services, onProgress } });
    const { origin, measured, measurements } = decided;
    const gflops = measured ? factsOf(context.task.op).flops / measured.medianNs : null;
    return { kernel, origin, gflops, measured: measurements, error: null };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { kernel, origin: "failed", gflops: null, measured: 0, error: error.message };
  }
}

export interface AllTargetsOptions {
  readonly fleet: Fleet;
  readonly mode: RequestMode;
  /** Whether lines are drawn anew on a terminal; else each kernel prints one when it is done. */
  readonly isLive: boolean;
}

export async function tuneAllTargets(
  project: Project,
  kernels: readonly ParsedRequest[],
  { fleet, mode, isLive }: AllTargetsOptions,
): Promise<Outcome> {
  const cells = await cellsOf(project, kernels, fleet, mode);
  const rows = await (isLive ? tuneLive(cells) : tunePlainly(project, cells));
  const failed = rows.filter(({ error }) => error !== null);
  const table = textTable(
    ["kernel", "", "GFLOP/s", "measured"],
    rows.map(({ kernel, origin, gflops, measured }) => [kernel, origin, gflops?.toFixed(1) ?? "–", String(measured)]),
  );
  const unwritten = unwrittenLock(project, mode);
  const classes = fleet.classes.map(({ hash, of, workers }) => ({ hash, native: of.native, label: of.label, workers }));
  return {
    exitCode: failed.length > 0 || unwritten || rows.length === 0 ? exitCodes.wrong : exitCodes.done,
    json: { kernels: rows, classes, ...unwritten?.json },
    text: [table, ...failed.map(({ kernel, error }) => `\n${kernel}\n  ${error}`), ...(unwritten?.lines ?? [])].join(
      "\n",
    ),
  };
}

const doneLine = ({ kernel, origin, gflops, error }: CellRow): string =>
  `${kernel}: ${error ?? (gflops === null ? origin : `${origin}, ${gflops.toFixed(1)} GFLOP/s`)}`;

/** Prints a line for each kernel that is done, with its number, as CI shows it. */
function tunePlainly({ session }: Project, cells: readonly TargetCell[]): Promise<readonly CellRow[]> {
  let done = 0;
  return Promise.all(
    cells.map(async (cell) => {
      const row = await tuneCell(cell, () => {});
      done += 1;
      session.log().info(`${done} of ${cells.length}: ${doneLine(row)}`);
      return row;
    }),
  );
}

async function tuneLive(cells: readonly TargetCell[]): Promise<readonly CellRow[]> {
  const { drawTasks } = await import("../terminal/live-tasks.ts");
  const rows: CellRow[] = [];
  await drawTasks(
    cells.map((cell, at) => ({
      title: `${cell.context.lockName}: waits`,
      async run(show: (line: string) => void): Promise<string | null> {
        const row = await tuneCell(cell, (...progress) => show(progressLine(...progress)));
        rows[at] = row;
        show(doneLine(row));
        return row.error;
      },
    })),
  );
  return rows;
}
