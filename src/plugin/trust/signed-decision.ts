// A decision for a machine without a compiler: it can neither build it nor measure it, and takes it with its addon, under the statement of
// a signer whom option `trust` lists.

import type { SharedDecision } from "../../tuner/store/exchange.ts";
import { addonPath } from "../../tuner/trust/signed-files.ts";
import type { BuiltBlobs } from "../compile/artifact-store.ts";
import type { KernelContext } from "../compile/kernel-context.ts";
import { remoteFilesOf } from "../compile/remote-decision.ts";
import type { ResolvedRemote } from "../remote/remote-options.ts";
import { signedArtifact } from "./signed-artifact.ts";

/** A decision with the addon that came with it. */
export interface SignedDecision extends Pick<SharedDecision, "candidate" | "source"> {
  readonly built: BuiltBlobs;
}

/** Asks the shared store for a decision with a signed addon, and runs that against the reference; null: it has none that is taken. */
export async function signedDecision(context: KernelContext, remote: ResolvedRemote): Promise<SignedDecision | null> {
  const { key, task, lockName, services } = context;
  const entry = await remoteFilesOf(context, key, remote);
  services.signal.throwIfAborted();
  if (!entry?.files.has(addonPath)) return null;
  const { candidate, source } = entry.decision;
  const artifact = await signedArtifact(context, { task, candidate, source }, entry.files);
  if (artifact.kind === "taken") {
    services.log.info(
      `${lockName}: its decision and addon are from elsewhere, signed by ${artifact.signer}; neither was measured here, so the lock does not get them`,
    );
    return { candidate, source, built: artifact.built };
  }
  services.log.warn(`${lockName}: an addon from elsewhere is not taken: ${artifact.why}`);
  return null;
}
