// The remote store's answer for one kernel, checked. A server that is away, or wrong, costs a warning and a moment, never a build.

import type { SharedDecision } from "../../tuner/store/exchange.ts";
import { openRemote, type RemoteStore } from "../remote/remote-store.ts";
import { checkDecision } from "./check-decision.ts";
import type { KernelContext } from "./kernel-context.ts";

/** Shared store of all kernels of a build: one that has failed often enough is left alone. */
function remoteOf({ services: { options, tunings, signal } }: KernelContext, url: string): RemoteStore {
  tunings.remote ??= openRemote(url, { token: options.remoteToken, signal });
  return tunings.remote;
}

/** Asks the shared store for a decision, with its measurement here; null: it has none that could be taken. */
export async function remoteDecision(context: KernelContext, url: string): Promise<SharedDecision | null> {
  const { key, lockName, services } = context;
  const remote = remoteOf(context, url);
  if (remote.isOff()) return null;
  const answer = await remote.get(key);
  services.signal.throwIfAborted();
  if (answer.kind === "missing") return null;
  const refused = (why: string): null => {
    services.log.warn(`${lockName}: nothing is taken from the remote store: ${why}`);
    return null;
  };
  if (answer.kind === "failed") return refused(answer.why);
  const checked = await checkDecision(context, answer.decision);
  return checked.kind === "taken" ? { ...answer.decision, measured: checked.measured } : refused(checked.why);
}
