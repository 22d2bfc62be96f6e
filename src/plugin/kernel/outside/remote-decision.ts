// The remote store of a build: its answer for one kernel, checked, and the decision of a tuning, offered. A server that is away, or
// wrong, costs a warning and a moment, never a build.

import type { Measured } from "../../../tuner/store/store-entry.ts";
import type { ResolvedRemote } from "../../options/remote-options.ts";
import { remoteAnswers } from "../../remote/remote-answers.ts";
import { type RemoteEntry, remoteFiles } from "../../remote/remote-files.ts";
import { outsideFileOf, signatureFiles } from "../../remote/remote-signature.ts";
import { openRemote, type RemoteAnswer, type RemoteStore } from "../../remote/remote-store.ts";
import { provenance, vouched, wordsOf } from "../../trust/outside-decision.ts";
import { signingKeyOf } from "../../trust/signing-key.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { type Schedule, tunedForOf } from "../schedule.ts";
import { type Checked, checkDecision, type OutsideDecision } from "./check-decision.ts";

/** Shared store of all kernels of a build: one that has failed often enough is left alone. */
function storeOf(
  { services: { tunings, signal } }: Pick<KernelContext, "services">,
  remote: ResolvedRemote,
): RemoteStore {
  tunings.remote ??= openRemote(remote, { signal });
  return tunings.remote;
}

/** Asks the shared store for a decision, with its measurement here; null: it has none that could be taken. */
export async function remoteDecision(context: KernelContext, remote: ResolvedRemote): Promise<OutsideDecision | null> {
  const { key, classKey, lockName, services } = context;
  const { log, signal } = services;
  const store = storeOf(context, remote);
  for await (const answer of remoteAnswers(store, key, classKey)) {
    signal.throwIfAborted();
    if (answer.kind === "missing" && answer.note !== null) log.warn(answer.note);
    if (answer.kind === "denied") log.warn(answer.why);
    const tried = answer.kind === "found" ? await tryDecision(context, store, answer) : answer;
    if (tried.kind === "taken") return tried;
    if (tried.kind === "refused" || tried.kind === "wrong" || tried.kind === "failed")
      log.warn(`${lockName}: nothing is taken from the remote store: ${tried.why}`);
  }
  return null;
}

type Refused = Extract<Checked, { kind: "refused" }>;

/** Takes a decision, unless nobody vouches for it who has to, or it is wrong. */
async function tryDecision(
  context: KernelContext,
  store: RemoteStore,
  answer: Extract<RemoteAnswer, { kind: "found" }>,
): Promise<Refused | ({ readonly kind: "taken" } & OutsideDecision)> {
  const { lockName, services } = context;
  const file = outsideFileOf(store, answer);
  const by = await vouched(services.options.trust, file);
  if (by.kind === "refused") return by;
  const words = wordsOf(by);
  if (words !== null) services.log.info(`${lockName}: the remote store's decision is ${words}`);
  const checked = await checkDecision(context, answer.decision);
  return checked.kind === "taken" ? { ...checked, from: provenance("remote", file, by) } : checked;
}

/** Returns the files of the shared store's entry of a key: a decision, and perhaps a signed addon. Null: it has none. */
export async function remoteFilesOf(
  { services }: KernelContext,
  key: string,
  remote: ResolvedRemote,
): Promise<RemoteEntry | null> {
  const store = storeOf({ services }, remote);
  return remoteFiles(store, await store.get(key));
}

/** Yields the files of each entry that the shared store has for the kernel: of its key, then of its class of machines. */
export async function* remoteEntriesOf(
  { key, classKey, services }: KernelContext,
  remote: ResolvedRemote,
): AsyncGenerator<RemoteEntry, void, undefined> {
  const store = storeOf({ services }, remote);
  for await (const answer of remoteAnswers(store, key, classKey)) {
    const entry = await remoteFiles(store, answer);
    if (entry) yield entry;
  }
}

/** Puts what was tuned into the shared store, signed where a key is configured, unless it has an entry already. */
export async function offerDecision(
  context: KernelContext,
  remote: ResolvedRemote,
  schedule: Schedule,
  measured: Measured,
): Promise<void> {
  const { key, lockName, services } = context;
  const { candidate, source } = schedule;
  const decision = { key, candidate, source, measured, tunedFor: tunedForOf(context, schedule) };
  const signingKey = signingKeyOf(services.options);
  const signature = signingKey ? await signatureFiles(decision, signingKey) : undefined;
  const reply = await storeOf(context, remote).put(decision, signature);
  services.signal.throwIfAborted();
  if (reply.kind === "denied") services.log.warn(reply.why);
  if (reply.kind === "failed") services.log.warn(`${lockName}: the remote store does not keep it: ${reply.why}`);
}
