// Bytes of an entry as they lie in the store: a line of JSON, then a line with the HMAC-SHA256 of the key that leads to it and
// that JSON, by the user's secret. An entry without such a line, or with another's, is foreign: of the predecessor of this form,
// another user, another machine, or a forger. The store cannot tell which.

import { createHmac, timingSafeEqual } from "node:crypto";
import { ShapeError } from "../support/strict.ts";
import { decodeStoreEntry, type StoreEntry } from "./store-entry.ts";

export interface OpenedEntry {
  readonly entry: StoreEntry;
  /** Whether somebody with the secret wrote it, for this key. */
  readonly isOurs: boolean;
}

const maxEntryBytes = 65_536;

const macOf = (secret: Uint8Array, key: string, json: string): Buffer =>
  createHmac("sha256", secret).update(`unplugin-kernel store entry\n${key}\n${json}`).digest();

export function sealEntry(secret: Uint8Array, key: string, entry: StoreEntry): Buffer {
  const json = JSON.stringify(entry);
  return Buffer.from(`${json}\n${macOf(secret, key, json).toString("hex")}\n`);
}

/** Parses an entry strictly. Null: it is none. */
export function openEntry(secret: Uint8Array, key: string, bytes: Uint8Array): OpenedEntry | null {
  if (bytes.length > maxEntryBytes) return null;
  const [json = "", mac, ...rest] = Buffer.from(bytes).toString("utf8").split("\n");
  const isSealed = mac !== undefined;
  if (isSealed && !(/^[0-9a-f]{64}$/.test(mac) && rest.length === 1 && rest[0] === "")) return null;
  const entry = parseEntry(json);
  return entry && { entry, isOurs: isSealed && timingSafeEqual(Buffer.from(mac, "hex"), macOf(secret, key, json)) };
}

function parseEntry(json: string): StoreEntry | null {
  try {
    return decodeStoreEntry(JSON.parse(json), []);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
