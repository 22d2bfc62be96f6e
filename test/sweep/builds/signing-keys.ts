// Keys of drawn builds, the same in each case: the one that option `trust` lists, and a stranger's.

import { parseSigningKey, privateLine, publicLine, type SigningKey } from "../../../src/tuner/trust/keys.ts";

const keyOf = (id: string, byte: number): SigningKey =>
  parseSigningKey(`ed25519-private:${id}:${Buffer.alloc(32, byte).toString("base64")}`)!;

export const drawnKey = keyOf("drawn", 0x42);
export const strangersKey = keyOf("stranger", 0x43);

export const trustedLine = publicLine(drawnKey);
export const drawnLine = privateLine(drawnKey);
export const strangersLine = privateLine(strangersKey);
