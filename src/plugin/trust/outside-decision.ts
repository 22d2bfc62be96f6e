// Who vouches for decisions that come from outside: a remote store, a pack, an imported file, a store of another user. Option `trust`
// may require a signature; the decision is rebuilt, run and measured here in any case.

import { mostKeptSignature, type Provenance } from "../../tuner/store/store-entry.ts";
import { signerOfDecisions } from "../../tuner/trust/signed-decisions.ts";
import { hasSigners, type ResolvedTrust } from "../options/trust-option.ts";
import { policyOf } from "./policy-of.ts";

export type Vouched =
  /** `note`: why its signature counts for nothing, where no signature is required. */
  | {
      readonly kind: "taken";
      readonly signer: string | null;
      readonly note: string | null;
      /** Text of the signature, where it counts. */
      readonly bundle?: string;
    }
  /** Signatures are required, and it has none that counts. */
  | { readonly kind: "refused"; readonly why: string };

/** Text of a signature, or why there is none. */
export type SignatureText = { readonly bundle: string } | { readonly why: string };

/** Signature of what cannot have one. */
export const unsigned: SignatureText = { why: "it is not signed" };

/** A file of decisions from outside. */
export interface OutsideFile {
  /** sha256 of its bytes, computed here. */
  readonly digest: string;
  /** Reads its signature. Called only where that matters. */
  readonly signature: () => SignatureText | Promise<SignatureText>;
}

/** @throws DiagnosticError `trust.bad-key`: the trusted root cannot be read */
export async function vouched(trust: ResolvedTrust, { digest, signature }: OutsideFile): Promise<Vouched> {
  const isRequired = trust.require.includes("decision");
  if (!isRequired && !hasSigners(trust)) return { kind: "taken", signer: null, note: null };
  const text = await signature();
  if ("why" in text) return isRequired ? refused(text.why) : { kind: "taken", signer: null, note: null };
  const found = await signerOfDecisions(digest, text.bundle, policyOf(trust));
  if (found.kind === "signed") return { kind: "taken", signer: found.signer, note: null, bundle: text.bundle };
  return isRequired ? refused(found.why) : { kind: "taken", signer: null, note: `not taken as signed: ${found.why}` };
}

const refused = (why: string): Vouched => ({ kind: "refused", why: `option trust wants it signed, and ${why}` });

/** Returns what the store keeps of a decision's origin. A signature that is too long for it counts as none later. */
export function provenance(kind: Provenance["kind"], file: Pick<OutsideFile, "digest">, by: Vouched): Provenance {
  const bundle = by.kind === "taken" ? by.bundle : undefined;
  const isKept = bundle !== undefined && bundle.length <= mostKeptSignature && /^[\t\n\r\x20-\x7e]*$/.test(bundle);
  return isKept ? { kind, signature: { file: file.digest, bundle } } : { kind };
}

/**
 * Says who vouches now for a decision that the store once got from outside: keys may be listed or revoked since.
 *
 * @throws DiagnosticError `trust.bad-key`: the trusted root cannot be read
 */
export const vouchedAgain = (trust: ResolvedTrust, { signature }: Provenance): Promise<Vouched> =>
  vouched(trust, { digest: signature?.file ?? "", signature: () => signature ?? unsigned });

const places: Readonly<Record<Provenance["kind"], string>> = {
  remote: "a remote store",
  pack: "a pack",
  import: "an imported file",
  store: "builds of another user",
};

/** "a remote store" */
export const placeOf = ({ kind }: Pick<Provenance, "kind">): string => places[kind];

/** Says in words who signed a decision that is taken, or why its signature counts for nothing; null: it has none. */
export function wordsOf(by: Vouched): string | null {
  if (by.kind === "refused") return null;
  return by.signer === null ? by.note : `signed by ${by.signer}`;
}
