// The text of a bundle and the signers that a project trusts → the payload and its signer, or why it counts for nothing.
// Offline: keys come from the project, and what keyless signatures are checked against from a file.

import type { KeyObject } from "node:crypto";
import { parseBundle, type SignedBundle } from "./bundle.ts";
import { type TrustedIdentity, type TrustPolicy, trustedKey } from "./policy.ts";

export type VerifiedBundle =
  /** `signer`: "key ci-2026", or the identity that the certificate names. */
  | { readonly kind: "trusted"; readonly payload: Buffer; readonly signer: string }
  | { readonly kind: "refused"; readonly why: string };

const refused = (why: string): VerifiedBundle => ({ kind: "refused", why });

export async function verifyBundle(content: string, policy: TrustPolicy): Promise<VerifiedBundle> {
  const parsed = parseBundle(content);
  if ("why" in parsed) return refused(`its signature has another form: ${parsed.why}`);
  const { keyId } = parsed.value;
  if (keyId === null) return verifyKeyless(parsed.value, policy);
  const found = trustedKey(policy, keyId);
  return found.kind === "key" ? verifyByKey(parsed.value, found.key.id, found.key.key) : found;
}

/** Trusts no authority, so that nothing but the key counts. */
const noAuthorities = { mediaType: "", certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const noThresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };

async function verifyByKey({ json, payload }: SignedBundle, id: string, publicKey: KeyObject): Promise<VerifiedBundle> {
  const { bundleFromJSON } = await import("@sigstore/bundle");
  const { toSignedEntity, toTrustMaterial, Verifier } = await import("@sigstore/verify");
  const material = toTrustMaterial(noAuthorities, () => ({ publicKey, validFor: () => true }));
  try {
    new Verifier(material, noThresholds).verify(toSignedEntity(bundleFromJSON(json)));
    return { kind: "trusted", payload, signer: `key ${id}` };
  } catch (error) {
    return refused(`it was not signed by key ${id}, or was changed since: ${messageOf(error)}`);
  }
}

async function verifyKeyless({ json, payload }: SignedBundle, policy: TrustPolicy): Promise<VerifiedBundle> {
  const { identities, trustedRoot } = policy;
  if (identities.length === 0) return refused("it was signed without a key, and option trust lists no identities");
  if (trustedRoot === null) return refused("it was signed without a key, and option trust names no trustedRoot");
  const { bundleFromJSON } = await import("@sigstore/bundle");
  const { TrustedRoot } = await import("@sigstore/protobuf-specs");
  const { toSignedEntity, toTrustMaterial, Verifier } = await import("@sigstore/verify");
  try {
    const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(trustedRoot)));
    const { identity } = verifier.verify(toSignedEntity(bundleFromJSON(json)));
    const found = identities.find((one) =>
      isIdentity(one, identity?.subjectAlternativeName, identity?.extensions?.issuer),
    );
    if (found) return { kind: "trusted", payload, signer: found.identity };
    return refused(`it was signed by ${identity?.subjectAlternativeName ?? "nobody"}, whom option trust does not list`);
  } catch (error) {
    return refused(`its keyless signature does not hold: ${messageOf(error)}`);
  }
}

/** Compares whole texts. The library's own policy takes an identity as a pattern, which would fit a part of another one. */
const isIdentity = (trusted: TrustedIdentity, identity: string | undefined, issuer: string | undefined): boolean =>
  trusted.identity === identity && trusted.issuer === issuer;

/** First line of an error's message, without what a terminal would obey. */
function messageOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}
