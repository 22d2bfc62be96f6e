// The remote store of a build: its answer for one kernel, checked, and the decision of a tuning, offered. A server that is away, or
// wrong, costs a warning and a moment, never a build.

import type { Decision } from "../../../tuner/data/decision.ts";
import type { Measured } from "../../../tuner/store/store-entry.ts";
import type { ResolvedRemote } from "../../options/remote-options.ts";
import { remoteAnswers } from "../../remote/remote-answers.ts";
import { outsideFileOf, signatureFiles } from "../../remote/remote-signature.ts";
import type { RemoteAnswer, RemoteStore } from "../../remote/remote-store.ts";
import { provenance, vouched, wordsOf } from "../../trust/outside-decision.ts";
import { signingKeyOf } from "../../trust/signing-key.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { OutsideDecision } from "../decision.ts";
import { tunedForOf } from "../schedule.ts";
import { remoteStoreOf } from "../signed/remote-entries.ts";
import { checkDecision, type Refused } from "./check-decision.ts";

/** Asks the shared store for a decision, with its measurement here if it runs here; null: it has none that could be taken. */
export async function remoteDecision(context: KernelContext, remote: ResolvedRemote): Promise<OutsideDecision | null> {
  const { key, classKey, lockName, services } = context;
  const { log, signal } = services;
  const store = remoteStoreOf(context, remote);
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

/** Puts what was tuned into the shared store, signed where a key is configured, unless it has an entry already. */
export async function offerDecision(
  context: KernelContext,
  remote: ResolvedRemote,
  schedule: Decision,
  measured: Measured,
): Promise<void> {
  const { key, lockName, services } = context;
  const { candidate, source } = schedule;
  const decision = { key, candidate, source, measured, tunedFor: tunedForOf(context, schedule) };
  const signingKey = signingKeyOf(services.options);
  const signature = signingKey ? await signatureFiles(decision, signingKey) : undefined;
  const reply = await remoteStoreOf(context, remote).put(decision, signature);
  services.signal.throwIfAborted();
  if (reply.kind === "denied") services.log.warn(reply.why);
  if (reply.kind === "failed") services.log.warn(`${lockName}: the remote store does not keep it: ${reply.why}`);
}
