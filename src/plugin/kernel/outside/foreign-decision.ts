// A decision of the store that this user's builds did not write: data from elsewhere, as a remote store's is.

import type { SharedDecision } from "../../../tuner/store/exchange.ts";
import { provenance, unsigned, vouched } from "../../trust/outside-decision.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { checkDecision, type OutsideDecision } from "./check-decision.ts";

/** Returns a foreign decision, rebuilt, run against the reference and measured here by now. Null: it is not taken, with a warning. */
export async function foreignDecision(
  context: KernelContext,
  decision: SharedDecision,
): Promise<OutsideDecision | null> {
  const { lockName, services } = context;
  const file = { digest: "", signature: () => unsigned };
  const by = await vouched(services.options.trust, file);
  const checked = by.kind === "refused" ? by : await checkDecision(context, decision);
  if (checked.kind === "taken") return { ...checked, from: provenance("store", file, by) };
  services.log.warn(
    `${lockName}: the store has a decision that is not of this user's builds, and not taken: ${checked.why}`,
  );
  return null;
}
