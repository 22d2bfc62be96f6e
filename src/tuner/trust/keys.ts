// Keys that sign decisions and binaries: ed25519, each one line of text with the id by which signatures name it. Text ↔ key.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";

export interface PublicKey {
  readonly id: string;
  readonly key: KeyObject;
}

export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Id of a key: a name with a date or a number, so that a key may be followed by another. */
const idForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const lineForm = /^(ed25519|ed25519-private):([^:]*):([A-Za-z0-9+/]{43}=)$/;

/** Beginnings of the DER forms of RFC 8410, which 32 bytes of key follow. */
const spki = Buffer.from("302a300506032b6570032100", "hex");
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

export const isKeyId = (id: string): boolean => idForm.test(id);

/** Returns kind, id and 32 bytes of a key's line; null: it is none. */
function partsOf(line: string): { readonly kind: string; readonly id: string; readonly raw: Buffer } | null {
  const [, kind = "", id = "", base64 = ""] = lineForm.exec(line) ?? [];
  const raw = Buffer.from(base64, "base64");
  // Each key has one text: base64 with bits beyond its end is refused.
  return isKeyId(id) && raw.length === 32 && raw.toString("base64") === base64 ? { kind, id, raw } : null;
}

/** Parses `ed25519:<id>:<base64>`; null: the text has another form. */
export function parsePublicKey(line: string): PublicKey | null {
  const parts = partsOf(line);
  if (parts?.kind !== "ed25519") return null;
  const key = createPublicKey({ key: Buffer.concat([spki, parts.raw]), format: "der", type: "spki" });
  return { id: parts.id, key };
}

/** Parses `ed25519-private:<id>:<base64>`; null: the text has another form. */
export function parseSigningKey(line: string): SigningKey | null {
  const parts = partsOf(line);
  if (parts?.kind !== "ed25519-private") return null;
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, parts.raw]), format: "der", type: "pkcs8" });
  return { id: parts.id, key };
}

const rawOf = (key: KeyObject, type: "spki" | "pkcs8"): string =>
  key.export({ format: "der", type }).subarray(-32).toString("base64");

/** Prints the line that option `trust` lists. */
export const publicLine = ({ id, key }: SigningKey | PublicKey): string =>
  `ed25519:${id}:${rawOf(key.type === "private" ? createPublicKey(key) : key, "spki")}`;

/** Prints the line that is kept secret. */
export const privateLine = ({ id, key }: SigningKey): string => `ed25519-private:${id}:${rawOf(key, "pkcs8")}`;

/** @param id one that `isKeyId` holds of */
export const generateSigningKey = (id: string): SigningKey => ({ id, key: generateKeyPairSync("ed25519").privateKey });
