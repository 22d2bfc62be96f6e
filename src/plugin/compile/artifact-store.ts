// Built kernels in the store: an artifact key leads to blobs by role: "wasm", "relaxed", "addon", and
// "trace", the schedule as text, because making the space to print it takes longer than reading all of these.

import { sha256 } from "../../compiler/index.ts";
import type { PutWarning, Store } from "../../tuner/store/store.ts";
import { storeSchema } from "../../tuner/store/store-entry.ts";
import type { KernelContext } from "./kernel-context.ts";

export type Blobs = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** All blobs of the artifact; null if it or one of them is missing. */
export async function storedBlobs({ store }: KernelContext, key: string): Promise<Blobs | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "artifact") return null;
  const blobs: [string, Uint8Array<ArrayBuffer>][] = [];
  for (const [role, facts] of Object.entries(entry.blobs)) {
    const bytes = await store.blob(facts.sha256);
    if (!bytes) return null;
    blobs.push([role, new Uint8Array(bytes)]);
  }
  return Object.fromEntries(blobs);
}

/** Keeps a new artifact. A store that cannot be written costs a warning. */
export async function keepBlobs(
  { store, services, lockName }: KernelContext,
  key: string,
  blobs: Blobs,
): Promise<void> {
  const warning = await putBlobs(store, key, blobs);
  if (warning) services.log.warn(`${lockName}: ${warning}`);
}

/** The entry comes last, so that it never names what is not there. */
async function putBlobs(store: Store, key: string, blobs: Blobs): Promise<PutWarning> {
  for (const bytes of Object.values(blobs)) {
    const warning = await store.putBlob(bytes);
    if (warning) return warning;
  }
  const facts = Object.entries(blobs).map(([role, bytes]) => [role, { sha256: sha256(bytes), bytes: bytes.length }]);
  return store.putEntry(key, { kind: "artifact", schema: storeSchema, blobs: Object.fromEntries(facts) });
}

export const textBlob = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
export const textOf = (blob: Uint8Array | undefined): string => Buffer.from(blob ?? []).toString();
