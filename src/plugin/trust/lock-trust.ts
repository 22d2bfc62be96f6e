// Signatures of the lock's entries in a build: a new entry is signed where a key is configured, and a frozen build that requires
// signatures refuses an entry without one. Loaded only for these two.

import { basename } from "node:path";
import type { LockEntry } from "../../tuner/store/lock-entry.ts";
import { signatureProblem, signEntry } from "../../tuner/trust/lock-signature.ts";
import { type KernelContext, refuse } from "../compile/kernel-context.ts";
import type { CompileOptions, Origin } from "../compiled-kernel.ts";
import { policyOf } from "./policy-of.ts";
import { signingKeyOf } from "./signing-key.ts";

/** Origins of decisions that were measured here: a remote's is signed by `cache sign --lock` alone, if at all. */
const ownOrigins: readonly Origin[] = ["tuned", "shared", "store"];

/** @throws DiagnosticError `trust.bad-key` */
export function signedIfOwn({ services }: KernelContext, entry: LockEntry, origin: Origin): LockEntry {
  const key = ownOrigins.includes(origin) ? signingKeyOf(services.options) : null;
  return key ? signEntry(entry, key) : entry;
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
