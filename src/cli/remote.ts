// `cache push` and `cache pull`: decisions to a store that others share, and from it. Decisions that come in are
// checked like those of a file.

import { DiagnosticError } from "../compiler/index.ts";
import { isPossible } from "../plugin/compile/claim.ts";
import { kernelsOf } from "../plugin/declarations/find-imports.ts";
import { openRemote, type RemoteStore } from "../plugin/remote/remote-store.ts";
import type { SharedDecision } from "../tuner/store/exchange.ts";
import { storedDecisions } from "../tuner/store/store-contents.ts";
import { badArgument, exitCodes, type Outcome } from "./command.ts";
import { contextOrNull, importOutcome, leftOut, takeForProject } from "./exchange.ts";
import type { Project } from "./project.ts";

/** @throws DiagnosticError `command.bad-argument` */
function remoteOf({ options: { remote, remoteToken } }: Project, what: string): RemoteStore {
  if (remote === null) throw badArgument(`cache ${what} names no store`, `cache ${what} --remote <url>`);
  return openRemote(remote, { token: remoteToken });
}

interface Sent {
  readonly key: string;
  readonly state: "sent" | "kept" | "failed";
  readonly why: string | null;
}

/** Sends a decision to the remote store, unless the store has one for the same key that may be as fast. */
async function send(remote: RemoteStore, decision: SharedDecision): Promise<Sent> {
  const { key, measured } = decision;
  const there = await remote.get(key);
  const claimed = there.kind === "found" ? there.decision.measured : null;
  if (claimed && claimed.medianNs <= measured.medianNs && isPossible(claimed, measured)) {
    return { key, state: "kept", why: "what the remote store has is as fast" };
  }
  const why = remote.isOff() ? (there.kind === "failed" ? there.why : null) : await remote.put(decision);
  return { key, state: why === null ? "sent" : "failed", why };
}

export async function pushDecisions(project: Project): Promise<Outcome> {
  const remote = remoteOf(project, "push");
  const rows: Sent[] = [];
  const foreign: string[] = [];
  for (const decision of await storedDecisions(project.options.cacheDir, (key) => foreign.push(key))) {
    rows.push(await send(remote, decision));
    if (remote.isOff()) break;
  }
  const count = (state: Sent["state"]): number => rows.filter((row) => row.state === state).length;
  const failures = rows.filter(({ state }) => state === "failed");
  const lines = failures.map(({ key, why }) => `failed   ${key}: ${why}`);
  return {
    exitCode: failures.length > 0 ? exitCodes.wrong : exitCodes.done,
    json: { decisions: rows, foreign },
    text: [...lines, `${count("sent")} sent, ${count("kept")} kept, ${failures.length} failed${leftOut(foreign)}`].join(
      "\n",
    ),
  };
}

/** @throws DiagnosticError `exchange.remote` */
export async function pullDecisions(project: Project): Promise<Outcome> {
  const remote = remoteOf(project, "pull");
  const keys = new Set<string>();
  for (const request of kernelsOf(await project.imports())) {
    const context = await contextOrNull(project, request);
    if (context) keys.add(context.key);
  }
  const decisions: SharedDecision[] = [];
  for (const key of keys) {
    const answer = await remote.get(key);
    if (answer.kind === "failed") throw noAnswer(key, answer.why);
    if (answer.kind === "found") decisions.push(answer.decision);
  }
  const kernels = await takeForProject(project, decisions);
  return importOutcome(kernels, { missing: keys.size - decisions.length }, `${keys.size - decisions.length} not there`);
}

const noAnswer = (key: string, why: string): DiagnosticError =>
  new DiagnosticError({
    code: "exchange.remote",
    message: `the remote store gives no decision ${key}: ${why}`,
    loc: null,
    hint: "nothing was taken",
    detail: null,
  });
