// A decision of the store that this user's builds did not write: data from elsewhere, as a remote store's is.

import type { SharedDecision } from "../../tuner/store/exchange.ts";
import type { ScheduleEntry } from "../../tuner/store/store-entry.ts";
import { unsigned, vouched } from "../trust/outside-decision.ts";
import { checkDecision } from "./check-decision.ts";
import type { KernelContext } from "./kernel-context.ts";

type MeasuredEntry = ScheduleEntry & { readonly measured: NonNullable<ScheduleEntry["measured"]> };

/** Returns a foreign decision, rebuilt, run against the reference and measured here by now. Null: it is not taken, with a warning. */
export async function foreignDecision(context: KernelContext, entry: MeasuredEntry): Promise<SharedDecision | null> {
  const { key, lockName, services } = context;
  const { candidate, source, measured } = entry;
  const by = await vouched(services.options.trust, { digest: source, signature: () => unsigned });
  const checked = by.kind === "refused" ? by : await checkDecision(context, { key, candidate, source, measured });
  if (checked.kind === "taken") return { key, candidate, source, measured: checked.measured };
  services.log.warn(
    `${lockName}: the store has a decision that is not of this user's builds, and not taken: ${checked.why}`,
  );
  return null;
}
