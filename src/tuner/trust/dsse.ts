// DSSE, https://github.com/secure-systems-lab/dsse: a signature covers the type of a payload and its bytes, so that one of
// a payload is none of another type's.

import { sign, verify } from "node:crypto";
import type { PublicKey, SigningKey } from "./keys.ts";

/** Returns the bytes that are signed: `DSSEv1 <length> <type> <length> <payload>`. */
export function preAuthEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export const signPayload = (type: string, payload: Uint8Array, { key }: SigningKey): Buffer =>
  sign(null, preAuthEncoding(type, payload), key);

export const isSignatureOf = (type: string, payload: Uint8Array, { key }: PublicKey, signature: Uint8Array): boolean =>
  verify(null, preAuthEncoding(type, payload), key, signature);
