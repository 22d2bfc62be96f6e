// Texts that go through a queue: a body, its digest, and with a shared key its HMAC-SHA256. Text → the body, strictly decoded, or
// why it is refused. The purpose is a part of what is signed, so that a result is never taken for a job.

import { createHmac, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../compiler/index.ts";
import { canonicalJson } from "../data/key.ts";
import { type Decode, nullable, object, ShapeError, sha256Hex } from "../support/strict.ts";
import { printable } from "./printable.ts";

export type Purpose = "job" | "mark" | "result" | "race" | "worker" | "end";

/** Secret that coordinator and workers share; null: nothing is signed, and nothing that is signed is for them. */
export type FleetKey = string | null;

export type Unsealed<T> =
  | { readonly kind: "ok"; readonly body: T }
  | { readonly kind: "refused"; readonly reason: string };

interface Sealed {
  readonly digest: string;
  readonly mac: string | null;
  readonly body: unknown;
}

const decodeSealed = object<Sealed>({ digest: sha256Hex, mac: nullable(sha256Hex), body: (value) => value });

/** Longest text that is parsed, in characters: a batch of the largest operators has some hundred thousand. */
const longestText = 8e6;

const refused = (reason: string): Unsealed<never> => ({ kind: "refused", reason });

const macOf = (key: string, purpose: Purpose, digest: string): string =>
  createHmac("sha256", key).update(`unplugin-kernel fleet ${purpose}\n${digest}`).digest("hex");

/** Name by which secrets are told apart. It says of the secret no more than a signature does. */
export const nameOfKey = (key: string): string =>
  createHmac("sha256", key).update("unplugin-kernel fleet queue").digest("hex").slice(0, 16);

export function seal(purpose: Purpose, body: unknown, key: FleetKey): string {
  const digest = sha256(canonicalJson(body));
  return JSON.stringify({ digest, mac: key === null ? null : macOf(key, purpose, digest), body });
}

/** Opens a text. With a key it must be signed with the same one; without, it must not be signed: its writer would refuse the answer. */
export function unseal<T>(purpose: Purpose, text: unknown, decode: Decode<T>, key: FleetKey): Unsealed<T> {
  if (typeof text !== "string" || text.length > longestText) return refused("it is no text, or too long a one");
  try {
    const sealed = decodeSealed(JSON.parse(text), []);
    const { digest, mac } = sealed;
    // The signature comes first: of a text that is not ours nothing else is looked at, and no word of it is repeated.
    if (key !== null && !isSame(mac, macOf(key, purpose, digest)))
      return refused(mac === null ? "it is not signed" : "it is signed with another key");
    if (key === null && mac !== null) return refused("it is signed, and there is no UNPLUGIN_KERNEL_QUEUE_KEY here");
    const body = decode(sealed.body, ["body"]);
    return sha256(canonicalJson(body)) === digest
      ? { kind: "ok", body }
      : refused("it was changed after it was written");
  } catch (error) {
    if (error instanceof ShapeError) return refused(printable(error.message));
    if (error instanceof SyntaxError) return refused("it is no JSON, or only a part of it");
    throw error;
  }
}

const isSame = (given: string | null, wanted: string): boolean =>
  given !== null && timingSafeEqual(Buffer.from(given, "hex"), Buffer.from(wanted, "hex"));
