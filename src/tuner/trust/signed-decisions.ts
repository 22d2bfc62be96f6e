// A file of decisions and its signature, which lies beside it: of `cache export`, of a pack, of a remote store's entry. Digest of the
// file and text of a bundle → who signed it.

import type { SigningKey } from "./keys.ts";
import type { TrustPolicy } from "./policy.ts";
import { signStatement } from "./sign.ts";
import {
  type DecisionsPredicate,
  type DecisionsStatement,
  decisionsPredicate,
  decodeDecisionsStatement,
  statementType,
} from "./statement.ts";
import { verifyBundle } from "./verify.ts";

/** Returns the name of a file's signature: `decisions.jsonl.sigstore.json`. */
export const signatureOf = (file: string): string => `${file}.sigstore.json`;

/** Makes the statement on a file of decisions. The file may be renamed: its digest is what counts. */
export const decisionsStatement = (digest: string, predicate: DecisionsPredicate): DecisionsStatement => ({
  _type: statementType,
  subject: [{ name: "decisions.jsonl", digest: { sha256: digest } }],
  predicateType: decisionsPredicate,
  predicate,
});

/** Signs a file that has one decision, as an entry of a remote store. */
export const signDecision = (digest: string, key: SigningKey, time: string): Promise<string> =>
  signStatement(decisionsStatement(digest, { decisions: 1, builder: key.id, time }), key);

export type DecisionsSigner =
  | { readonly kind: "signed"; readonly signer: string; readonly predicate: DecisionsPredicate }
  | { readonly kind: "refused"; readonly why: string };

/** @param digest sha256 of the file, as it was computed here */
export async function signerOfDecisions(digest: string, bundle: string, policy: TrustPolicy): Promise<DecisionsSigner> {
  const refused = (why: string): DecisionsSigner => ({ kind: "refused", why });
  const verified = await verifyBundle(bundle, policy);
  if (verified.kind === "refused") return verified;
  const { payload, signer } = verified;
  const decoded = decodeDecisionsStatement(payload);
  if ("why" in decoded) return refused(`what ${signer} signed is no file of decisions: ${decoded.why}`);
  const { subject, predicate } = decoded.value;
  const isOfFile = subject.length === 1 && subject[0]!.digest.sha256 === digest;
  return isOfFile ? { kind: "signed", signer, predicate } : refused(`it is not the file that ${signer} signed`);
}
