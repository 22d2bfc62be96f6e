// Signatures of the lock's entries in a build: a new entry is signed where a key is configured, and a frozen build that requires
// signatures refuses an entry without one. Loaded only for these two.

import { basename } from "node:path";
import { refuse } from "../../../compiler/index.ts";
import type { LockEntry } from "../../../tuner/lock/lock-entry.ts";
import { signatureProblem, signEntry } from "../../../tuner/trust/lock-signature.ts";
import type { CompileOptions } from "../../options/options.ts";
import { placeOf } from "../../trust/outside-decision.ts";
import { policyOf } from "../../trust/policy-of.ts";
import { signingKeyOf } from "../../trust/signing-key.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import type { KernelDecision } from "../decision.ts";

/**
 * Signs the entry of a decision that builds of this user tuned. One from outside is signed by `cache sign --lock` alone, if at all. The
 * signature under which it was taken is over a file of decisions, with the timing of another machine and without the operator's name; the
 * entry is another text, so the signature cannot go over to it. Where entries have to be signed that is said, as a frozen build refuses it.
 *
 * @throws DiagnosticError `trust.bad-key`
 */
export function signedIfOwn(
  { services, lockName }: KernelContext,
  entry: LockEntry,
  { from }: Pick<KernelDecision, "from">,
): LockEntry {
  const { options, log } = services;
  const key = from ? null : signingKeyOf(options);
  if (key) return signEntry(entry, key);
  if (from && options.trust.require.includes("decision"))
    log.info(
      `${lockName}: the decision is from ${placeOf(from)}, so its entry of the lock is not signed: no signature from elsewhere covers it, and unplugin-kernel cache sign --lock makes one`,
    );
  return entry;
}

/** @throws DiagnosticError `trust.refused` */
export function requireSignature(options: CompileOptions, lockName: string, entry: LockEntry): void {
  const problem = signatureProblem(entry, policyOf(options.trust));
  if (problem === null) return;
  throw refuse(
    "trust.refused",
    `the entry of ${lockName} in ${basename(options.lockfile)} is refused: ${problem}`,
    "sign it where the key is, by unplugin-kernel cache sign --lock, or see what it is: unplugin-kernel cache trust",
  );
}
