// Where the decision of a kernel came from, as far as this user's store knows: the lock does not say.

import type { KernelContext } from "../../plugin/kernel/context/kernel-context.ts";
import { placeOf, vouchedAgain } from "../../plugin/trust/outside-decision.ts";

/**
 * Returns "from a remote store, signed by key ci-1"; null: builds of this user tuned it, or the store does not have it.
 *
 * @param source that the lock's decision generates: the store may have another one by now
 * @throws DiagnosticError `trust.bad-key`: the trusted root cannot be read
 */
export async function originOf({ store, key, services }: KernelContext, source: string): Promise<string | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "schedule" || entry.source !== source || !entry.from) return null;
  const by = await vouchedAgain(services.options.trust, entry.from);
  const signer = by.kind === "taken" ? by.signer : null;
  return `from ${placeOf(entry.from)}, ${signer === null ? "without a signature that counts" : `signed by ${signer}`}`;
}
