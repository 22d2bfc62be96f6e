// Signing without a key, by Sigstore: the identity that a CI service or a browser vouches for signs. Package `sigstore` is the
// project's own, and asks servers of Sigstore; it is loaded for this alone.

import { payloadType, type Statement, statementBytes } from "./statement.ts";

export type KeylessSignature =
  | { readonly kind: "signed"; readonly bundle: string }
  /** The project does not have the package. */
  | { readonly kind: "no-sigstore" }
  | { readonly kind: "failed"; readonly why: string };

type Attest = (payload: Buffer, payloadType: string) => Promise<object>;
export type LoadSigstore = () => Promise<{ readonly attest: Attest }>;

const isMissing = (error: unknown): boolean =>
  ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes((error as NodeJS.ErrnoException).code ?? "");

/** @param load of the package; tests give their own */
export async function signKeyless(
  statement: Statement,
  load: LoadSigstore = () => import("sigstore"),
): Promise<KeylessSignature> {
  let attest: Attest;
  try {
    attest = (await load()).attest;
  } catch (error) {
    if (isMissing(error)) return { kind: "no-sigstore" };
    throw error;
  }
  try {
    const bundle = await attest(statementBytes(statement), payloadType);
    return { kind: "signed", bundle: `${JSON.stringify(bundle)}\n` };
  } catch (error) {
    return { kind: "failed", why: error instanceof Error ? error.message.split("\n")[0]! : String(error) };
  }
}
