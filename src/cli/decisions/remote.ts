// `cache push` and `cache pull`: decisions to a store that others share, and from it. Decisions that come in are
// checked like those of a file.

import { DiagnosticError } from "../../compiler/index.ts";
import { wallClockText } from "../../native/machine/clock.ts";
import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import type { KernelContext } from "../../plugin/kernel/context/kernel-context.ts";
import { taskFor } from "../../plugin/kernel/schedule.ts";
import type { RemotePut } from "../../plugin/remote/guarded-transport.ts";
import { remoteAnswers } from "../../plugin/remote/remote-answers.ts";
import { outsideFileOf, signatureFiles } from "../../plugin/remote/remote-signature.ts";
import { decisionBytes, decisionPath, openRemote, type RemoteStore } from "../../plugin/remote/remote-store.ts";
import { provenance, vouched } from "../../plugin/trust/outside-decision.ts";
import type { SharedDecision } from "../../tuner/store/exchange.ts";
import { unkeptKey } from "../../tuner/store/store-key.ts";
import { badArgument, exitCodes, type Flags, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";
import { contextOrNull, importOutcome, leftOut, type Offered, passedOn, takeForProject } from "./exchange.ts";
import { requireKey } from "./signing.ts";

/** @throws DiagnosticError `command.bad-argument` */
function remoteOf({ options: { remote } }: Project, what: string, flags: Flags): RemoteStore {
  if (remote !== null) return openRemote(remote);
  if (flags.remote !== undefined)
    throw badArgument(
      `cache ${what} asks a store that others share, and UNPLUGIN_KERNEL_OFFLINE is set`,
      "an environment without it",
    );
  const hint = flags.protocol === "turborepo" ? ", or TURBO_API in the environment" : "";
  throw badArgument(`cache ${what} names no store`, `cache ${what} --remote <url>${hint}`);
}

const stopped: RemotePut = { kind: "off" };

/** The reply before says why. */
const notAsked = "it was not sent, as the store is not asked any more";

/** Lines about what was not sent: decisions that were not tried, of which there may be thousands, are one line. */
function failureLines(failures: readonly Sent[]): readonly string[] {
  const tried = failures.filter(({ why }) => why !== notAsked);
  const rest = failures.length - tried.length;
  return [
    ...tried.map(({ key, why }) => `failed   ${key}: ${why}`),
    ...(rest > 0 ? [`failed   ${rest} more: not sent, as the store is not asked any more`] : []),
  ];
}

interface Sent {
  readonly key: string;
  readonly state: "sent" | "kept" | "failed";
  readonly why: string | null;
}

/** Says what became of a decision that was offered. */
function sent(key: string, reply: RemotePut): Sent {
  switch (reply.kind) {
    case "stored":
      return { key, state: "sent", why: null };
    case "exists":
      return { key, state: "kept", why: "the remote store has a decision already" };
    case "denied":
    case "failed":
      return { key, state: "failed", why: reply.why };
    case "off":
      return { key, state: "failed", why: notAsked };
  }
}

/** Files of an entry beside its decision; undefined: there are none. */
type FilesOf = (decision: SharedDecision) => Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>> | undefined>;

/** @throws DiagnosticError `exchange.remote`, `trust.not-signed` */
export async function pushDecisions(project: Project, flags: Flags): Promise<Outcome> {
  const remote = remoteOf(project, "push", flags);
  const { whyNotPushed = null } = project.options.remote ?? {};
  if (whyNotPushed !== null) throw notPushed(whyNotPushed);
  const rows: Sent[] = [];
  let isOff = false;
  const filesOf: FilesOf = flags.sign ? await signatures(project, flags) : async () => undefined;
  const passed = await passedOn(project.options.cacheDir);
  const { foreign, unreadable } = passed;
  for (const decision of passed.decisions) {
    // A decision that is not sent is not signed.
    const reply: RemotePut = isOff ? stopped : await remote.put(decision, await filesOf(decision));
    isOff = reply.kind === "off";
    rows.push(sent(decision.key, reply));
  }
  const count = (state: Sent["state"]): number => rows.filter((row) => row.state === state).length;
  const failures = rows.filter(({ state }) => state === "failed");
  return {
    exitCode: failures.length > 0 ? exitCodes.wrong : exitCodes.done,
    json: { decisions: rows, foreign, unreadable, noSecret: unkeptKey() },
    text: [
      ...failureLines(failures),
      `${count("sent")} sent, ${count("kept")} kept, ${failures.length} failed${leftOut(passed)}`,
    ].join("\n"),
  };
}

/**
 * Makes what signs decisions, and the addons of the project's kernels that the store has: others may take these where they have no
 * compiler.
 *
 * @throws DiagnosticError `trust.not-signed`, `trust.bad-key`
 */
async function signatures(project: Project, flags: Flags): Promise<FilesOf> {
  const key = requireKey(project, flags);
  const signing = { key, builder: key.id, time: wallClockText() };
  const contexts = new Map<string, KernelContext>();
  for (const request of kernelsOf(await project.imports())) {
    const context = await contextOrNull(project, request);
    if (context) contexts.set(context.key, context);
  }
  const { signedFilesOfStore } = await import("../../plugin/kernel/signed/signed-artifact.ts");
  return async (decision) => {
    const context = contexts.get(decision.key);
    const signature = await signatureFiles(decision, key);
    if (!context) return signature;
    const { candidate, source, measured, tunedFor } = decision;
    const beside = new Map([...signature, [decisionPath, decisionBytes(decision)]]);
    const schedule = { task: taskFor(context.task, tunedFor), candidate, source };
    const files = await signedFilesOfStore(context, schedule, measured, beside, signing);
    return files ? new Map([...files].map(([path, bytes]) => [path, new Uint8Array(bytes)])) : signature;
  };
}

/** @throws DiagnosticError `exchange.remote`, `trust.bad-key` */
export async function pullDecisions(project: Project, flags: Flags): Promise<Outcome> {
  const remote = remoteOf(project, "pull", flags);
  const asked = new Map<string, Offers>();
  for (const request of kernelsOf(await project.imports())) {
    const context = await contextOrNull(project, request);
    if (context && !asked.has(context.key)) asked.set(context.key, kept(remoteOffers(project, remote, context)));
  }
  // Before anything is taken: a store that does not answer is an error.
  let missing = 0;
  for (const offers of asked.values()) if ((await offers().next()).done) missing += 1;
  const kernels = await takeForProject(project, ({ key }) => asked.get(key)?.() ?? []);
  return importOutcome(kernels, { missing }, `${missing} not there`);
}

type Offers = () => AsyncGenerator<Offered, void, undefined>;

/** Makes the same items anew for each who asks. Each is fetched once, and when it is wanted. */
function kept(given: AsyncGenerator<Offered, void, undefined>): Offers {
  const known: Offered[] = [];
  return async function* () {
    for (let at = 0; ; at++) {
      const next = at < known.length ? null : await given.next();
      if (next?.done) return;
      if (next) known.push(next.value);
      yield known[at]!;
    }
  };
}

/**
 * Yields what the store has for a kernel: for its key, then for its class of machines.
 *
 * @throws DiagnosticError `exchange.remote`: it has nothing that could be read
 */
async function* remoteOffers(
  project: Project,
  remote: RemoteStore,
  { key, classKey }: KernelContext,
): AsyncGenerator<Offered, void, undefined> {
  const warn = (text: string): void => project.session.log().warn(text);
  const problems: string[] = [];
  let isOffered = false;
  for await (const answer of remoteAnswers(remote, key, classKey)) {
    if (answer.kind === "missing" && answer.note !== null) warn(answer.note);
    if (answer.kind === "failed" || answer.kind === "denied" || answer.kind === "wrong") problems.push(answer.why);
    if (answer.kind !== "found") continue;
    const file = outsideFileOf(remote, answer);
    const by = await vouched(project.options.trust, file);
    for (const why of problems.splice(0)) warn(`an entry of ${key} is not taken: ${why}`);
    isOffered = true;
    yield { decision: answer.decision, by, from: provenance("remote", file, by) };
  }
  const [why] = problems;
  if (why !== undefined && !isOffered) throw noAnswer(key, why);
  if (why !== undefined) warn(`the remote store gives no other decision ${key}: ${why}`);
}

const noAnswer = (key: string, why: string): DiagnosticError =>
  new DiagnosticError({
    code: "exchange.remote",
    message: `the remote store gives no decision ${key}: ${why}`,
    loc: null,
    hint: "nothing was taken",
    detail: null,
  });

const notPushed = (message: string): DiagnosticError =>
  new DiagnosticError({
    code: "exchange.remote",
    message,
    loc: null,
    hint: "push from a protected branch, after the merge",
    detail: null,
  });
