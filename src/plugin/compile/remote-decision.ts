// The remote store of a build: its answer for one kernel, checked, and the decision of a tuning, offered. A server that is away, or
// wrong, costs a warning and a moment, never a build.

import type { SharedDecision } from "../../tuner/store/exchange.ts";
import { remoteFiles } from "../remote/remote-files.ts";
import type { ResolvedRemote } from "../remote/remote-options.ts";
import { openRemote, type RemoteStore } from "../remote/remote-store.ts";
import { checkDecision } from "./check-decision.ts";
import type { KernelContext } from "./kernel-context.ts";

/** Shared store of all kernels of a build: one that has failed often enough is left alone. */
function storeOf(
  { services: { tunings, signal } }: Pick<KernelContext, "services">,
  remote: ResolvedRemote,
): RemoteStore {
  tunings.remote ??= openRemote(remote, { signal });
  return tunings.remote;
}

/** Asks the shared store for a decision, with its measurement here; null: it has none that could be taken. */
export async function remoteDecision(context: KernelContext, remote: ResolvedRemote): Promise<SharedDecision | null> {
  const { key, lockName, services } = context;
  const { log, signal } = services;
  const answer = await storeOf(context, remote).get(key);
  signal.throwIfAborted();
  const refuse = (why: string): null => {
    log.warn(`${lockName}: nothing is taken from the remote store: ${why}`);
    return null;
  };
  switch (answer.kind) {
    case "found": {
      const checked = await checkDecision(context, answer.decision);
      return checked.kind === "taken" ? { ...answer.decision, measured: checked.measured } : refuse(checked.why);
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
): Promise<ReadonlyMap<string, Uint8Array> | null> => remoteFiles(storeOf({ services }, remote), key);

/** Puts what was tuned into the shared store, unless it has an entry already. */
export async function offerDecision(
  context: KernelContext,
  remote: ResolvedRemote,
  { candidate, source, measured }: Omit<SharedDecision, "key">,
): Promise<void> {
  const { key, lockName, services } = context;
  const reply = await storeOf(context, remote).put({ key, candidate, source, measured });
  services.signal.throwIfAborted();
  if (reply.kind === "denied") services.log.warn(reply.why);
  if (reply.kind === "failed") services.log.warn(`${lockName}: the remote store does not keep it: ${reply.why}`);
}
