// The identity of anything that has a canonical text: its sha256.

import { createHash } from "node:crypto";

/** The sha256 of a text (as UTF-8) or of bytes, as 64 lower-case hex digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
