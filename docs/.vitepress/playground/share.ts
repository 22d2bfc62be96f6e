// A program ↔ the hash of the page's address: base64url of its JSON, so that a link holds it.

import { nativeTargets, type Program } from "./protocol.ts";

export function toHash(program: Program): string {
  const bytes = new TextEncoder().encode(JSON.stringify(program));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `#${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** Null: the hash holds no program. */
export function fromHash(hash: string): Program | null {
  try {
    const binary = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return programOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

/** Links come from anywhere: only what has the form of a program is one. */
function programOf(value: unknown): Program | null {
  if (typeof value !== "object" || value === null) return null;
  const { source, numerics, native } = value as Partial<Record<keyof Program, unknown>>;
  const target = nativeTargets.find((name) => name === native);
  if (typeof source !== "string" || !target || (numerics !== "fast" && numerics !== "strict")) return null;
  return { source, numerics, native: target };
}
