// Signature of a lock's entry: DSSE over a statement on the entry without its signature. The statement follows from the entry, so
// the lock keeps the signature alone.

import { sha256 } from "../../compiler/index.ts";
import { canonicalJson } from "../data/key.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { concise, lockEntryJson } from "../lock/lock-entry.ts";
import { isSignatureOf, signPayload } from "./dsse.ts";
import type { SigningKey } from "./keys.ts";
import { type TrustPolicy, trustedKey } from "./policy.ts";
import { payloadType, statementType } from "./statement.ts";

export const entryPredicate = "https://www.npmjs.com/package/unplugin-kernel/attestation/lock-entry/v1";

/** Returns what is signed. The entry holds operator, target, numerics, threads and generator, so it is that of one schedule key. */
function payloadOf({ signature: _, ...entry }: LockEntry): Buffer {
  const subject = [{ name: "entry", digest: { sha256: sha256(canonicalJson(lockEntryJson(entry))) } }];
  return Buffer.from(canonicalJson({ _type: statementType, subject, predicateType: entryPredicate, predicate: {} }));
}

/** Returns the entry as a lock keeps it, signed; another's signature is replaced. */
export function signEntry(entry: LockEntry, key: SigningKey): LockEntry {
  const kept = concise(entry);
  const sig = signPayload(payloadType, payloadOf(kept), key).toString("base64");
  return { ...kept, signature: { keyid: key.id, sig } };
}

/** Says why an entry is signed by nobody whom the project trusts; null: it is. */
export function signatureProblem(entry: LockEntry, policy: TrustPolicy): string | null {
  if (!entry.signature) return "it is not signed";
  const { keyid, sig } = entry.signature;
  const found = trustedKey(policy, keyid);
  if (found.kind === "refused") return found.why;
  const isSigned = isSignatureOf(payloadType, payloadOf(entry), found.key, Buffer.from(sig, "base64"));
  return isSigned ? null : `key ${keyid} did not sign it, or it was changed since`;
}
