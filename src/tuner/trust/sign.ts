// Statement and key → a Sigstore bundle, as its text.

import { signPayload } from "./dsse.ts";
import type { SigningKey } from "./keys.ts";
import { payloadType, type Statement, statementBytes } from "./statement.ts";

/** Signs a statement. The same statement and key give the same text. */
export async function signStatement(statement: Statement, key: SigningKey): Promise<string> {
  const { bundleToJSON, toDSSEBundle } = await import("@sigstore/bundle");
  const artifact = statementBytes(statement);
  const signature = signPayload(payloadType, artifact, key);
  const bundle = toDSSEBundle({ artifact, artifactType: payloadType, signature, keyHint: key.id });
  return `${JSON.stringify(bundleToJSON(bundle))}\n`;
}
