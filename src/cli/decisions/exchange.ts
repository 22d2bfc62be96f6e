// `cache export` and `cache import`: decisions leave as one file of data. Decisions that come in are rebuilt, checked against the
// reference and measured, kernel by kernel of the project, before the store has them.

import { resolve } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import type { KernelContext } from "../../plugin/kernel/context/kernel-context.ts";
import { compareDecision } from "../../plugin/kernel/outside/check-decision.ts";
import { tunedForOf } from "../../plugin/kernel/schedule.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { provenance, type Vouched, vouched, vouchedAgain } from "../../plugin/trust/outside-decision.ts";
import { outsideFile } from "../../plugin/trust/signed-file.ts";
import { indexDecisions } from "../../tuner/store/decision-index.ts";
import { parseExchange, printExchange, type SharedDecision } from "../../tuner/store/exchange.ts";
import { storedDecisions } from "../../tuner/store/store-contents.ts";
import { type Provenance, storeSchema } from "../../tuner/store/store-entry.ts";
import { unkeptKey } from "../../tuner/store/store-key.ts";
import { badArgument } from "../flags/flags.ts";
import { exitCodes, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";
import { readDecisions } from "./read-decisions.ts";
import { replaceDecisions, signatureGone } from "./replace-decisions.ts";

const plural = (count: number): string => `${count} decision${count === 1 ? "" : "s"}`;

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;

/**
 * Says whether a signature that lay beside the file is gone.
 *
 * @throws DiagnosticError `exchange.unwritable`
 */
function writeExchange(path: string, text: string): boolean {
  try {
    return replaceDecisions(path, text);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw unwritable(`${path} cannot be written: ${error.message}`);
  }
}

const unwritable = (message: string): DiagnosticError =>
  new DiagnosticError({ code: "exchange.unwritable", message, loc: null, hint: null, detail: null });

export async function exportDecisions({ options: { root, cacheDir } }: Project, name: string): Promise<Outcome> {
  const file = resolve(root, name);
  const passed = await passedOn(cacheDir);
  const { decisions, foreign, unreadable } = passed;
  const signatureRemoved = writeExchange(file, printExchange(decisions));
  const said = decisions.map(({ key, measured }) => ({ key, measured }));
  const json = { file, decisions: said, foreign, unreadable, signatureRemoved, noSecret: unkeptKey() };
  const note = signatureRemoved ? `; ${signatureGone(slashPath(root, file))}` : "";
  const text = `${plural(decisions.length)} in ${slashPath(root, file)}${leftOut(passed)}${note}`;
  return { exitCode: exitCodes.done, json, text };
}

interface PassedOn {
  readonly decisions: readonly SharedDecision[];
  /** Keys of decisions that builds of somebody else wrote. */
  readonly foreign: readonly string[];
  /** Parts of the store that could not be read. */
  readonly unreadable: readonly string[];
}

/** Returns the decisions of a store that leave it, and what does not. */
export async function passedOn(cacheDir: string): Promise<PassedOn> {
  const [foreign, unreadable]: [string[], string[]] = [[], []];
  const decisions = await storedDecisions(
    cacheDir,
    (key) => foreign.push(key),
    (key) => unreadable.push(key),
  );
  return { decisions, foreign, unreadable };
}

/** Says what of the store is not passed on, and what to do where there is nothing to pass on. */
export function leftOut({ decisions, foreign, unreadable }: PassedOn): string {
  const unkept = unkeptKey();
  const notes = [
    ...(foreign.length > 0
      ? [`left out: ${plural(foreign.length)} that builds of another user, or of an older version, wrote`]
      : []),
    ...(unkept === null ? [] : [unkept]),
    ...(unreadable.length > 0 ? [`${unreadable.length} of the store's entries or folders could not be read`] : []),
    ...(decisions.length + foreign.length + unreadable.length === 0
      ? ["the store has no measured decision: unplugin-kernel tune makes them"]
      : []),
  ];
  return notes.map((note) => `; ${note}`).join("");
}

type State = "taken" | "kept" | "refused";

interface Row {
  readonly kernel: string;
  readonly key: string;
  readonly state: State;
  /** Why the decision was kept out or refused; null where it was taken. */
  readonly why: string | null;
  /** Signer whom option `trust` lists: "key ci-2026"; null: none of those signed it. */
  readonly signer: string | null;
  /** Why its signature counts for nothing, where option `trust` wants none. */
  readonly note: string | null;
}

/** A decision from outside, and who vouches for it. */
export interface Offered {
  readonly decision: SharedDecision;
  readonly by: Vouched;
  readonly from: Provenance;
}

/**
 * Takes a decision into the store, unless the store has one that is as fast: both are measured here, in turns.
 *
 * @throws DiagnosticError `exchange.unwritable`
 */
async function take(
  context: KernelContext,
  { decision, from }: Pick<Offered, "decision" | "from">,
): Promise<Pick<Row, "state" | "why">> {
  const { key } = context;
  const { candidate, source } = decision;
  const known = await context.store.entry(key);
  const measuredHere = known?.kind === "schedule" && known.measured ? known : null;
  // One from elsewhere that no build takes any more is no rival, though it may be the very same decision.
  const isRefused =
    measuredHere?.from && (await vouchedAgain(context.services.options.trust, measuredHere.from)).kind === "refused";
  const compared = await compareDecision(context, decision, isRefused ? null : measuredHere);
  if (compared.kind !== "taken") return { state: compared.kind, why: compared.why };
  const { schedule, measured } = compared;
  const tunedFor = tunedForOf(context, schedule);
  const entry = { kind: "schedule", schema: storeSchema, candidate, source, measured, tunedFor, from } as const;
  const message = await context.store.putEntry(key, entry);
  if (message) throw unwritable(message);
  return { state: "taken", why: null };
}

/** Takes a decision, unless option `trust` wants it signed and it is not. */
async function takeOffered(context: KernelContext, offered: Offered): Promise<Tried> {
  const { by } = offered;
  if (by.kind === "refused") return { state: "refused", why: by.why, signer: null, note: null };
  return { ...(await take(context, offered)), signer: by.signer, note: by.note };
}

type Tried = Omit<Row, "kernel" | "key">;

/** Outcome of a kernel whose own decision was refused: that of its class's decision, with a note of the refusal. */
const withRefusal = (first: Tried, next: Tried): Tried =>
  next.state === "refused"
    ? { ...next, why: `${first.why}; that of its class: ${next.why}` }
    : { ...next, note: [next.note, `the decision of its key is refused: ${first.why}`].filter(Boolean).join(", ") };

/**
 * Takes the decisions of the project's kernels. Kernels that differ in the name of their operator alone have one key: the source is that
 * of one of them.
 *
 * @param offersOf those for this machine, then those for another machine of its class, which are tried where the first are refused
 */
export async function takeForProject(
  project: Project,
  offersOf: (context: KernelContext) => Iterable<Offered> | AsyncIterable<Offered>,
): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  for (const request of kernelsOf(await project.imports())) {
    const context = await contextOrNull(project, request);
    const before = context && rows.get(context.key);
    if (!context || (before && before.state !== "refused")) continue;
    let tried: Tried | null = null;
    for await (const offered of offersOf(context)) {
      const next = await takeOffered(context, offered);
      tried = tried ? withRefusal(tried, next) : next;
      if (tried.state !== "refused") break;
    }
    if (tried) rows.set(context.key, { kernel: context.lockName, key: context.key, ...tried });
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

/** @throws DiagnosticError `exchange.unreadable`, `trust.bad-key` */
export async function importDecisions(project: Project, name: string): Promise<Outcome> {
  const { root, trust } = project.options;
  const file = resolve(root, name);
  const content = readDecisions(file);
  const parsed = parseExchange(content);
  if (parsed.kind === "wrong") {
    const lines = parsed.problems.map(({ line, why }) => `${slashPath(root, file)}:${line}: ${why}`);
    const text = [...lines, "nothing was taken"].join("\n");
    return { exitCode: exitCodes.wrong, json: { file, problems: parsed.problems, kernels: [] }, text };
  }
  const signedFile = outsideFile(file, content);
  const by = await vouched(trust, signedFile);
  const from = provenance("import", signedFile, by);
  const { byKey, byClass } = indexDecisions(parsed.decisions);
  const kernels = await takeForProject(project, ({ key, classKey }) =>
    [...new Set([byKey.get(key), byClass.get(classKey)])].flatMap((decision) =>
      decision ? [{ decision, by, from }] : [],
    ),
  );
  const unused = parsed.decisions.length - kernels.length;
  return importOutcome(kernels, { file, problems: [], unused }, `${unused} of no kernel that is imported here`);
}

/** @param rest what else there is to say, as JSON and in words */
export function importOutcome(kernels: readonly Row[], rest: object, words: string): Outcome {
  const count = (state: State): number => kernels.filter((row) => row.state === state).length;
  const lines = kernels.map((row) => `${row.state.padEnd(8)} ${row.kernel}${wordsOf(row)}`);
  const counts = `${plural(count("taken"))} taken, ${count("kept")} kept, ${count("refused")} refused`;
  return {
    exitCode: count("refused") > 0 ? exitCodes.wrong : exitCodes.done,
    json: { ...rest, kernels },
    text: [...lines, `${counts}, ${words}`].join("\n"),
  };
}

/** ": signed by key ci-2026, it is what is here" */
function wordsOf({ why, signer, note }: Row): string {
  const words = [signer && `signed by ${signer}`, note, why].filter((it) => it !== null);
  return words.length === 0 ? "" : `: ${words.join(", ")}`;
}

/** @throws DiagnosticError `command.bad-argument` */
export function requireFile(what: string, file: string | undefined): string {
  if (file !== undefined && file !== "") return file;
  throw badArgument(`cache ${what} names no file`, `cache ${what} <file>`);
}
