// The signers that a project trusts: keys, ids of keys that are revoked, and identities of keyless signatures. Plain data, as
// option `trust` has it; the keys were parsed.

import type { PublicKey } from "./keys.ts";

/** Signer of a keyless signature, as the certificate names it: both texts have to be equal, letter by letter. */
export interface TrustedIdentity {
  /** Who vouches for the identity: `https://token.actions.githubusercontent.com`. */
  readonly issuer: string;
  /** An e-mail address, or the URL of a workflow with its branch. */
  readonly identity: string;
}

export interface TrustPolicy {
  readonly keys: readonly PublicKey[];
  /** Ids of keys whose signatures count no more, though `keys` may list them. */
  readonly revoked: readonly string[];
  readonly identities: readonly TrustedIdentity[];
  /** Content of `trusted_root.json`, against which keyless signatures are checked; null: there is none. */
  readonly trustedRoot: unknown;
}

export type FoundKey =
  | { readonly kind: "key"; readonly key: PublicKey }
  | { readonly kind: "refused"; readonly why: string };

/** Finds the key that a signature names. */
export function trustedKey({ keys, revoked }: TrustPolicy, id: string): FoundKey {
  if (revoked.includes(id)) return { kind: "refused", why: `key ${id} is revoked` };
  const key = keys.find((one) => one.id === id);
  return key ? { kind: "key", key } : { kind: "refused", why: `key ${id} is not one that option trust lists` };
}
