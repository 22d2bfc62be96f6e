// Keys as lines of text: back and forth, and what is no key.

import { expect, it } from "vitest";
import {
  generateSigningKey,
  isKeyId,
  parsePublicKey,
  parseSigningKey,
  privateLine,
  publicLine,
} from "../../../src/tuner/trust/keys.ts";

const key = generateSigningKey("ci-2026.1");

it("are read as they were printed", () => {
  expect(publicLine(key)).toMatch(/^ed25519:ci-2026\.1:[A-Za-z0-9+/]{43}=$/);
  expect(publicLine(parsePublicKey(publicLine(key))!)).toBe(publicLine(key));
  expect(privateLine(parseSigningKey(privateLine(key))!)).toBe(privateLine(key));
  expect(publicLine(parseSigningKey(privateLine(key))!)).toBe(publicLine(key));
});

it("are not taken for one another", () => {
  expect(parsePublicKey(privateLine(key))).toBeNull();
  expect(parseSigningKey(publicLine(key))).toBeNull();
});

it("of RFC 8032 have the public key that it gives", () => {
  const seed = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
  const raw = Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex");
  const signing = parseSigningKey(`ed25519-private:rfc:${seed.toString("base64")}`)!;
  expect(publicLine(signing)).toBe(`ed25519:rfc:${raw.toString("base64")}`);
});

const base64 = publicLine(key).split(":")[2]!;
it.each([
  "",
  "key",
  `ed25519:${base64}`,
  `ed25519::${base64}`,
  `ed25519:CI:${base64}`,
  `ed25519:a b:${base64}`,
  `ed25519:${"a".repeat(65)}:${base64}`,
  `ed25519:a:${base64}=`,
  `ed25519:a:${base64.slice(4)}`,
  `ed25519:a:${base64.slice(0, -2)}/=`,
  `ed25519:a:${base64}\n`,
  `rsa:a:${base64}`,
  `ed25519:a:${"_".repeat(43)}=`,
])("%j is no public key", (line) => {
  expect(parsePublicKey(line)).toBeNull();
});

it("have ids of small letters, digits, dots and dashes", () => {
  expect(["a", "ci-2026", "x_1.b"].map(isKeyId)).toEqual([true, true, true]);
  expect(["", "-a", "A", "a/b", "a:b", "ä"].map(isKeyId)).toEqual([false, false, false, false, false, false]);
});
