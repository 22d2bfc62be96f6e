// The remote store of a build: its answer for one kernel, checked, and the decision of a tuning, offered. A server that is away, or
// wrong, costs a warning and a moment, never a build.

import type { Measured } from "../../tuner/store/store-entry.ts";
import { type RemoteEntry, remoteFiles } from "../remote/remote-files.ts";
import type { ResolvedRemote } from "../remote/remote-options.ts";
import { outsideFileOf, signatureFiles } from "../remote/remote-signature.ts";
import { openRemote, type RemoteStore } from "../remote/remote-store.ts";
import { vouched, wordsOf } from "../trust/outside-decision.ts";
import { signingKeyOf } from "../trust/signing-key.ts";
import { checkDecision, type TakenDecision } from "./check-decision.ts";
import type { KernelContext } from "./kernel-context.ts";
import { type Schedule, tunedForOf } from "./schedule.ts";

/** Shared store of all kernels of a build: one that has failed often enough is left alone. */
function storeOf(
  { services: { tunings, signal } }: Pick<KernelContext, "services">,
  remote: ResolvedRemote,
): RemoteStore {
  tunings.remote ??= openRemote(remote, { signal });
  return tunings.remote;
}

/** Asks the shared store for a decision, with its measurement here; null: it has none that could be taken. */
export async function remoteDecision(context: KernelContext, remote: ResolvedRemote): Promise<TakenDecision | null> {
  const { key, classKey, lockName, services } = context;
  const { log, options, signal } = services;
  const store = storeOf(context, remote);
  const answer = await store.get(key, classKey);
  signal.throwIfAborted();
  const refuse = (why: string): null => {
    log.warn(`${lockName}: nothing is taken from the remote store: ${why}`);
    return null;
  };
  switch (answer.kind) {
    case "found": {
      const by = await vouched(options.trust, outsideFileOf(store, answer));
      if (by.kind === "refused") return refuse(by.why);
      const words = wordsOf(by);
      if (words !== null) log.info(`${lockName}: the remote store's decision is ${words}`);
      const checked = await checkDecision(context, answer.decision);
      return checked.kind === "taken" ? checked : refuse(checked.why);
    }
    case "missing":
      if (answer.note !== null) log.warn(answer.note);
      return null;
    case "denied":
      log.warn(answer.why);
      return null;
    case "failed":
      return refuse(answer.why);
    case "off":
      return null;
  }
}

/** Returns the files of the shared store's entry for the kernel: its decision, and perhaps a signed addon. Null: it has none. */
export const remoteFilesOf = (
  { services }: KernelContext,
  key: string,
  remote: ResolvedRemote,
): Promise<RemoteEntry | null> => remoteFiles(storeOf({ services }, remote), key);

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
