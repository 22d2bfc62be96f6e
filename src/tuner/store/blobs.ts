// Several blobs under one key, by role: an artifact's "wasm", "relaxed", "addon" and "trace", a bundle's "code".

import { sha256 } from "../../compiler/index.ts";
import type { PutWarning, Store } from "./store.ts";
import { storeSchema } from "./store-entry.ts";

export type Blobs = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** Reads all blobs under the key; null if it or one of them is missing. */
export async function blobsAt(store: Store, key: string): Promise<Blobs | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "artifact") return null;
  const roles = Object.entries(entry.blobs);
  const found = await Promise.all(roles.map(([, facts]) => store.blob(facts.sha256)));
  if (found.includes(null)) return null;
  return Object.fromEntries(roles.map(([role], at) => [role, new Uint8Array(found[at]!)]));
}

/** Stores blobs and their entry. The entry comes last, so that it never names what is not there. */
export async function putBlobs(store: Store, key: string, blobs: Blobs): Promise<PutWarning> {
  for (const bytes of Object.values(blobs)) {
    const warning = await store.putBlob(bytes);
    if (warning) return warning;
  }
  const facts = Object.entries(blobs).map(([role, bytes]) => [role, { sha256: sha256(bytes), bytes: bytes.length }]);
  return store.putEntry(key, { kind: "artifact", schema: storeSchema, blobs: Object.fromEntries(facts) });
}

export const textBlob = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
export const textOf = (blob: Uint8Array | undefined): string => Buffer.from(blob ?? []).toString();
