// The signature of a remote store's decision, beside it in the entry: made where a key is configured, and read where option `trust` can
// make use of it.

import { wallClockText } from "../../native/machine/clock.ts";
import type { SharedDecision } from "../../tuner/store/exchange.ts";
import { mostBundleBytes } from "../../tuner/trust/bundle.ts";
import type { SigningKey } from "../../tuner/trust/keys.ts";
import { signatureOf, signDecision } from "../../tuner/trust/signed-decisions.ts";
import { type OutsideFile, unsigned } from "../trust/outside-decision.ts";
import { digestOf } from "./action-result.ts";
import { decisionBytes, decisionPath, type RemoteAnswer, type RemoteStore } from "./remote-store.ts";

/** Path of the signature in an entry. */
const signaturePath: string = signatureOf(decisionPath);

/** Returns the decision of an answer as a file. Its digest was compared when it was read. */
export const outsideFileOf = (
  store: Pick<RemoteStore, "blob">,
  { files }: Extract<RemoteAnswer, { kind: "found" }>,
): OutsideFile => ({
  digest: files.get(decisionPath)!.hash,
  async signature() {
    const digest = files.get(signaturePath);
    if (!digest) return unsigned;
    const file = await store.blob(digest, mostBundleBytes);
    if (file.kind === "ok") return { bundle: Buffer.from(file.bytes).toString("utf8") };
    return { why: `its signature cannot be read${file.kind === "off" ? "" : `: ${file.why}`}` };
  },
});

/** Returns the files of an entry that sign its decision. */
export async function signatureFiles(
  decision: SharedDecision,
  key: SigningKey,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const { hash } = digestOf(decisionBytes(decision));
  const signature = await signDecision(hash, key, wallClockText());
  return new Map([[signaturePath, new Uint8Array(Buffer.from(signature))]]);
}
