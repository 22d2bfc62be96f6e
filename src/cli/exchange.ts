// `cache export` and `cache import`: decisions leave as one file of data. Decisions that come in are rebuilt, checked against the
// reference and measured, kernel by kernel of the project, before the store has them.

import { relative, resolve } from "node:path";
import { DiagnosticError } from "../compiler/index.ts";
import { replaceFile } from "../native/replace-file.ts";
import { compareDecision } from "../plugin/compile/check-decision.ts";
import type { KernelContext } from "../plugin/compile/kernel-context.ts";
import { tunedForOf } from "../plugin/compile/schedule.ts";
import { kernelsOf } from "../plugin/declarations/find-imports.ts";
import { indexDecisions } from "../tuner/store/decision-index.ts";
import { parseExchange, printExchange, type SharedDecision } from "../tuner/store/exchange.ts";
import { readExchangeFile } from "../tuner/store/exchange-file.ts";
import { storedDecisions } from "../tuner/store/store-contents.ts";
import { storeSchema } from "../tuner/store/store-entry.ts";
import { badArgument, exitCodes, type Outcome } from "./command.ts";
import type { Project } from "./project.ts";

const plural = (count: number): string => `${count} decision${count === 1 ? "" : "s"}`;

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;

/** @throws DiagnosticError `exchange.unwritable` */
function writeExchange(path: string, text: string): void {
  try {
    replaceFile(path, text);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw unwritable(`${path} cannot be written: ${error.message}`);
  }
}

const unwritable = (message: string): DiagnosticError =>
  new DiagnosticError({ code: "exchange.unwritable", message, loc: null, hint: null, detail: null });

export async function exportDecisions({ options: { root, cacheDir } }: Project, name: string): Promise<Outcome> {
  const file = resolve(root, name);
  const foreign: string[] = [];
  const decisions = await storedDecisions(cacheDir, (key) => foreign.push(key));
  writeExchange(file, printExchange(decisions));
  const json = { file, decisions: decisions.map(({ key, measured }) => ({ key, measured })), foreign };
  const text = `${plural(decisions.length)} in ${relative(root, file)}${leftOut(foreign)}`;
  return { exitCode: exitCodes.done, json, text };
}

/** Says how many decisions of the store are not passed on. */
export const leftOut = (foreign: readonly string[]): string =>
  foreign.length === 0
    ? ""
    : `; left out: ${plural(foreign.length)} that builds of another user, or of an older version, wrote`;

/** @throws DiagnosticError `exchange.unreadable` */
function readText(file: string): string {
  const content = readExchangeFile(file);
  if (content.kind === "read") return content.text;
  throw unreadable(file, content.why);
}

const unreadable = (file: string, why: string): DiagnosticError =>
  new DiagnosticError({
    code: "exchange.unreadable",
    message: `${file} cannot be read: ${why}`,
    loc: null,
    hint: "a file that cache export has written",
    detail: null,
  });

type State = "taken" | "kept" | "refused";

interface Row {
  readonly kernel: string;
  readonly key: string;
  readonly state: State;
  /** Why the decision was kept out or refused; null where it was taken. */
  readonly why: string | null;
}

/**
 * Takes a decision into the store, unless the store has one that is as fast: both are measured here, in turns.
 *
 * @throws DiagnosticError `exchange.unwritable`
 */
async function take(context: KernelContext, decision: SharedDecision): Promise<Pick<Row, "state" | "why">> {
  const { key } = context;
  const { candidate, source } = decision;
  const known = await context.store.entry(key);
  const local = known?.kind === "schedule" && known.measured ? known : null;
  const compared = await compareDecision(context, decision, local);
  if (compared.kind !== "taken") return { state: compared.kind, why: compared.why };
  const { schedule, measured } = compared;
  const tunedFor = tunedForOf(context, schedule);
  const entry = { kind: "schedule", schema: storeSchema, candidate, source, measured, tunedFor } as const;
  const message = await context.store.putEntry(key, entry);
  if (message) throw unwritable(message);
  return { state: "taken", why: null };
}

/**
 * Takes the decisions of the project's kernels: those for this machine, else those for another machine of its class. Kernels that differ in
 * the name of their operator alone have one key: the source is that of one of them.
 */
export async function takeForProject(project: Project, decisions: readonly SharedDecision[]): Promise<readonly Row[]> {
  const { byKey, byClass } = indexDecisions(decisions);
  const rows = new Map<string, Row>();
  for (const request of kernelsOf(await project.imports())) {
    const context = await contextOrNull(project, request);
    const decision = context && (byKey.get(context.key) ?? byClass.get(context.classKey));
    const before = context && rows.get(context.key);
    if (!context || !decision || (before && before.state !== "refused")) continue;
    rows.set(context.key, { kernel: context.lockName, key: context.key, ...(await take(context, decision)) });
  }
  return [...rows.values()];
}

/** Returns the context of a kernel; null where its operator or its import has a mistake, which does not matter to the others. */
export const contextOrNull = (
  project: Project,
  request: Parameters<Project["contextOf"]>[0],
): Promise<KernelContext | null> =>
  project.contextOf(request, "predict").catch((error: unknown) => {
    if (error instanceof DiagnosticError) return null;
    throw error;
  });

export async function importDecisions(project: Project, name: string): Promise<Outcome> {
  const { root } = project.options;
  const file = resolve(root, name);
  const parsed = parseExchange(readText(file));
  if (parsed.kind === "wrong") {
    const lines = parsed.problems.map(({ line, why }) => `${relative(root, file)}:${line}: ${why}`);
    const text = [...lines, "nothing was taken"].join("\n");
    return { exitCode: exitCodes.wrong, json: { file, problems: parsed.problems, kernels: [] }, text };
  }
  const kernels = await takeForProject(project, parsed.decisions);
  const unused = parsed.decisions.length - kernels.length;
  return importOutcome(kernels, { file, problems: [], unused }, `${unused} of no kernel that is imported here`);
}

/** @param rest what else there is to say, as JSON and in words */
export function importOutcome(kernels: readonly Row[], rest: object, words: string): Outcome {
  const count = (state: State): number => kernels.filter((row) => row.state === state).length;
  const lines = kernels.map(({ kernel, state, why }) => `${state.padEnd(8)} ${kernel}${why ? `: ${why}` : ""}`);
  const counts = `${plural(count("taken"))} taken, ${count("kept")} kept, ${count("refused")} refused`;
  return {
    exitCode: count("refused") > 0 ? exitCodes.wrong : exitCodes.done,
    json: { ...rest, kernels },
    text: [...lines, `${counts}, ${words}`].join("\n"),
  };
}

/** @throws DiagnosticError `command.bad-argument` */
export function requireFile(what: string, file: string | undefined): string {
  if (file !== undefined && file !== "") return file;
  throw badArgument(`cache ${what} names no file`, `cache ${what} <file>`);
}
