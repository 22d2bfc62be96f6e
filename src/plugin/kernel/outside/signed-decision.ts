// A decision for a machine without a compiler: it can neither build it nor measure it, and takes it with its addon, under the statement of
// a signer whom option `trust` lists.

import { addonPath } from "../../../tuner/trust/signed-files.ts";
import type { ResolvedRemote } from "../../options/remote-options.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { type Schedule, taskFor } from "../schedule.ts";
import { signedArtifact } from "../signed/signed-artifact.ts";
import type { BuiltBlobs } from "../stored/artifact-store.ts";
import { remoteEntriesOf } from "./remote-decision.ts";

/** A decision with the addon that came with it. */
export interface SignedDecision extends Schedule {
  readonly built: BuiltBlobs;
}

/**
 * Asks the shared store for a decision with a signed addon, and runs that against the reference; null: it has none that is taken.
 *
 * The entry of the class serves, too. An addon is bound to the features and the platform that it was compiled for, which are the same in
 * a class. Cache sizes are no flags of the compiler: they shape the decision alone, and the statement names the schedule key that has them.
 */
export async function signedDecision(context: KernelContext, remote: ResolvedRemote): Promise<SignedDecision | null> {
  const { lockName, services } = context;
  for await (const { decision, files } of remoteEntriesOf(context, remote)) {
    services.signal.throwIfAborted();
    if (!files.has(addonPath)) continue;
    const { candidate, source, tunedFor } = decision;
    const schedule = { task: taskFor(context.task, tunedFor), candidate, source };
    const artifact = await signedArtifact(context, schedule, files);
    if (artifact.kind === "taken") {
      services.log.info(
        `${lockName}: its decision and addon are from elsewhere, signed by ${artifact.signer}; neither was measured here, so the lock does not get them`,
      );
      return { ...schedule, built: artifact.built };
    }
    services.log.warn(`${lockName}: an addon from elsewhere is not taken: ${artifact.why}`);
  }
  return null;
}
