// `tune`: every kernel that the project imports gets its schedule, from lock or store or by measuring, and an entry in the lock.

import { DiagnosticError } from "../../compiler/index.ts";
import { nowMs } from "../../native/machine/clock.ts";
import type { CompileServices } from "../../plugin/kernel/compile-services.ts";
import type { RequestMode } from "../../plugin/kernel/kernel-request.ts";
import { consoleSink } from "../../plugin/log/log.ts";
import { progressLine } from "../../plugin/log/progress.ts";
import { isCi } from "../../plugin/options/options.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import type { WinnerProof } from "../../tuner/proof/prove-winner.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { checkPageFlags, pageOf } from "../flags/page-flags.ts";
import { inShard, shardOf } from "../flags/shard.ts";
import { inCamelCase } from "../flags/typed-values.ts";
import { exitCodes, type Outcome, type Run } from "../project/command.ts";
import { dropUnused } from "../project/drop-unused.ts";
import { fleetOf } from "../project/fleet.ts";
import type { Project } from "../project/project.ts";
import { unwrittenLock } from "../project/unwritten-lock.ts";
import { wantedKernels } from "../project/wanted-kernels.ts";

interface Row {
  readonly kernel: string;
  readonly origin: string;
  readonly gflops: number | null;
  readonly measured: number;
  readonly error: string | null;
  /** Proof about the winner under the analytic model: only with --prove, and only for a kernel that has a schedule. */
  readonly proof?: WinnerProof;
}

/** Most time that a proof has for each template of a space. */
const proofMs = 20_000;

/** Adds the proof about the schedules that were not measured. Call it when the lock has the winner. */
async function proved(project: Project, request: ParsedRequest, row: Row): Promise<Row> {
  if (row.error !== null) return row;
  const [{ knownSchedule }, { generateSpace }, { proveWinner }] = await Promise.all([
    import("../../plugin/kernel/decision/known-schedule.ts"),
    import("../../tuner/space/generate.ts"),
    import("../../tuner/proof/prove-winner.ts"),
  ]);
  const { task, candidate } = await knownSchedule(await project.contextOf(request, "tune"));
  const proof = await proveWinner(task, generateSpace(task), candidate, { mostMs: proofMs, nowMs });
  return { ...row, proof };
}

const proofText = (rows: readonly Row[]): readonly string[] =>
  rows.flatMap(({ kernel, proof }) => (proof ? ["", `${kernel}: ${proof.text}`] : []));

/** Message of a kernel's own failure. Anything else, such as a signal, ends the command. */
const messageOf = (error: unknown): string => {
  if (error instanceof DiagnosticError) return error.message;
  throw error;
};

/** Entrants that failed, with their reasons, printed behind the table: a lock that cannot be read fails all of them, and is said once. */
function failureText(failed: readonly Row[], all: number): readonly string[] {
  if (failed.length === 0) return [];
  const reasons = [...new Set(failed.map(({ error }) => error))];
  const kernelsOf = (reason: string | null): readonly string[] =>
    failed.filter(({ error }) => error === reason).map(({ kernel }) => kernel);
  return [
    "",
    `${failed.length} of ${all} kernels failed:`,
    ...reasons.map((it) => [...kernelsOf(it), `  ${it}`].join("\n")),
  ];
}

const droppedText = (names: readonly string[]): readonly string[] =>
  names.map((name) => `dropped ${name}: nothing imports it`);

async function tuneOne(
  { session, options: { root } }: Project,
  request: ParsedRequest,
  mode: RequestMode,
  onProgress?: CompileServices["onProgress"],
): Promise<Row> {
  const kernel = nameOf(root, request);
  try {
    const { origin, gflops, measurements } = await session.compile(request, mode, onProgress);
    return { kernel, origin, gflops, measured: measurements, error: null };
  } catch (error) {
    return { kernel, origin: "failed", gflops: null, measured: 0, error: messageOf(error) };
  }
}

const nameOf = (root: string, { path, query }: ParsedRequest): string => slashPath(root, path) + query;

/** Tunes with a line for each kernel, as long as there is anything to do. */
async function tuneLive(
  project: Project,
  kernels: readonly ParsedRequest[],
  mode: RequestMode,
): Promise<readonly Row[]> {
  const { session, options } = project;
  const { drawTasks } = await import("../terminal/live-tasks.ts");
  // The lines are drawn already.
  session.configure(process.cwd(), { ...consoleSink, live: null });
  const rows: Row[] = [];
  const tasks = kernels.map((request, at) => ({
    title: `${nameOf(options.root, request)}: waits`,
    async run(show: (line: string) => void): Promise<string | null> {
      const row = await tuneOne(project, request, mode, (...progress) => show(progressLine(...progress)));
      rows[at] = row;
      show(
        [row.kernel, row.gflops === null ? row.origin : `${row.origin}, ${row.gflops.toFixed(1)} GFLOP/s`].join(": "),
      );
      return row.error;
    },
  }));
  await drawTasks(tasks);
  return rows;
}

/** Writes the types of imports that are new since the last build, for the next type check. A failure to do so is only a warning. */
async function refreshTypes({ session, options }: Project): Promise<void> {
  const { refreshDeclarations } = await import("../../plugin/declarations/refresh-declarations.ts");
  try {
    await refreshDeclarations(options);
  } catch (error) {
    session.log().warn(`no types were written: ${error instanceof Error ? error.message : error}`);
  }
}

/** @throws DiagnosticError `command.bad-argument` */
function modeOf({ again, compare, update }: Flags): RequestMode {
  if (update && (again || compare !== undefined))
    throw badArgument(`--update is given with ${again ? "--again" : "--compare"}`, "one of them: --update starts anew");
  if (update) return "update";
  return again || compare !== undefined ? "again" : "tune";
}

const isTerminal = (): boolean => process.stdout.isTTY === true && process.stdout.columns > 0 && !isCi();

const tableText = (rows: readonly Row[]): string =>
  textTable(
    ["kernel", "", "GFLOP/s", "measured"],
    rows.map(({ kernel, origin, gflops, measured }) => [kernel, origin, gflops?.toFixed(1) ?? "–", String(measured)]),
  );

/** Tunes in a browser. The server and the page are loaded only here. */
async function inBrowser(
  project: Project,
  wanted: readonly ParsedRequest[],
  flags: Flags,
  mode: RequestMode,
): Promise<Outcome> {
  const { tuneInBrowser } = await import("../tune-browser/tune-in-browser.ts");
  return tuneInBrowser(project, wanted, { mode, json: flags.json === true, ...pageOf(flags) });
}

/** Flags of other places where a tuning measures, and of what a batch is not there for. */
const withoutBatch = ["browser", "redis", "slurm", "all-targets", "update", "compare", "prove", "total"];

/** Has another machine measure. */
async function byBatch(
  project: Project,
  wanted: readonly ParsedRequest[],
  flags: Flags,
  mode: RequestMode,
): Promise<Outcome> {
  const other = withoutBatch.find((name) => flags[inCamelCase(name)] !== undefined);
  if (other) throw badArgument(`--batch is given with --${other}`, "one of them");
  const { tuneByBatch } = await import("../tune-batch/tune-by-batch.ts");
  return tuneByBatch(project, wanted, { mode, folder: String(flags.batch) });
}

export const run: Run = async (project, names, flags) => {
  const { json, prove } = flags;
  const mode = modeOf(flags);
  const named = await wantedKernels(project, names);
  const wanted = inShard(named, shardOf(flags.shard));
  checkPageFlags(flags);
  if (flags.batch !== undefined) return byBatch(project, wanted, flags, mode);
  if (flags.browser) return inBrowser(project, wanted, flags, mode);
  const isLive = !json && isTerminal();
  const fleet = await fleetOf(project, flags);
  if (fleet && flags.allTargets) {
    const { tuneAllTargets } = await import("../project/all-targets.ts");
    return tuneAllTargets(project, wanted, { fleet, mode, isLive }).finally(() => fleet.close());
  }
  project.useFleet(fleet);
  const tuned = isLive
    ? await tuneLive(project, wanted, mode)
    : await Promise.all(wanted.map((request) => tuneOne(project, request, mode)));
  await fleet?.close();
  await refreshTypes(project);
  const rows: Row[] = [];
  // One after the other: each takes a core, and has a limit of time.
  for (const [at, row] of tuned.entries()) rows.push(prove ? await proved(project, wanted[at]!, row) : row);
  const failed = rows.filter(({ error }) => error !== null);
  const files = names.length === 0 ? null : named.map(({ path }) => path);
  const dropped = mode === "update" ? await dropUnused(project, files) : null;
  const unwritten = unwrittenLock(project, mode);
  const hasNone = wanted.length === 0 && named.length > 0;
  return {
    exitCode: failed.length > 0 || unwritten ? exitCodes.wrong : exitCodes.done,
    json: { kernels: rows, ...(dropped && { dropped }), ...unwritten?.json },
    text: [
      hasNone ? `shard ${flags.shard} has no kernel: there are fewer kernels than shards` : tableText(rows),
      ...droppedText(dropped ?? []),
      ...proofText(rows),
      ...failureText(failed, rows.length),
      ...(unwritten?.lines ?? []),
    ].join("\n"),
  };
};
