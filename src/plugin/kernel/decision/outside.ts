// Decisions that others made: another user of this machine's store, packs, and the shared store, to which a build's own are offered.

import { needsToolchain } from "../../../compiler/index.ts";
import { sharedDecision } from "../../../tuner/store/exchange.ts";
import { hasSigners } from "../../options/trust-option.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";
import { found, foundOutside } from "./found.ts";

/** Decision that somebody else's build left in the store: rebuilt and run here before it is ours. Null: there is none, or it is not taken. */
export async function fromForeign(context: KernelContext): Promise<KernelDecision | null> {
  const { key, store } = context;
  const entry = await store.foreignSchedule(key);
  const decision = entry && sharedDecision(key, entry);
  if (!decision) return null;
  const { foreignDecision } = await import("../outside/foreign-decision.ts");
  const taken = await foreignDecision(context, decision);
  return taken && foundOutside("store", taken);
}

/** Decision of a pack, rebuilt and, where it runs here, run against the reference by now; null: there is none, or it is not taken. */
export async function fromPacks(context: KernelContext): Promise<KernelDecision | null> {
  if (context.services.options.packs.length === 0) return null;
  const { packDecision } = await import("../outside/pack-decision.ts");
  const taken = await packDecision(context);
  return taken && foundOutside("pack", taken);
}

/** Decision of the shared store, checked as that of a pack; null: there is none, or it is not taken. */
export async function fromRemote(context: KernelContext): Promise<KernelDecision | null> {
  const { remote } = context.services.options;
  if (remote === null) return null;
  const { remoteDecision } = await import("../outside/remote-decision.ts");
  const taken = await remoteDecision(context, remote);
  return taken && foundOutside("remote", taken);
}

/**
 * Decision of others for processors that this machine has not. Where kernels of the target run here all the same, as those for a class of
 * engines do, it is run, but its time says nothing; others are built. Null: there is none, or no compiler for it.
 */
export async function fromOthersUnmeasured(context: KernelContext): Promise<KernelDecision | null> {
  if (needsToolchain(context.task.target) && !(await context.toolchain())) return null;
  const taken = (await fromPacks(context)) ?? (await fromRemote(context));
  return taken && { ...taken, measured: null };
}

/** Decision of the shared store with its addon, for a machine without a compiler, under a trusted signature; null: there is none. */
export async function fromSigned(context: KernelContext): Promise<KernelDecision | null> {
  const { task, toolchain, services } = context;
  const { remote, trust } = services.options;
  if (!remote || !hasSigners(trust) || !needsToolchain(task.target) || (await toolchain())) return null;
  const { signedDecision } = await import("../outside/signed-decision.ts");
  const signed = await signedDecision(context, remote);
  return signed && { ...found("remote", signed, null), built: signed.built };
}

/** Puts what this build tuned into the shared store, where it may write there. */
export async function offer(context: KernelContext, decision: KernelDecision): Promise<KernelDecision> {
  const { remote } = context.services.options;
  const { origin, measured } = decision;
  if (!remote?.isWritten || origin !== "tuned" || measured === null) return decision;
  const { offerDecision } = await import("../outside/remote-decision.ts");
  await offerDecision(context, remote, decision, measured);
  return decision;
}
