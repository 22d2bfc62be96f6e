// Option trust: its two forms, and what is refused.

import { generateKeyPairSync } from "node:crypto";
import { resolve } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { resolveOptions } from "../../../src/plugin/options/options.ts";
import type { KernelPluginOptions } from "../../../src/plugin/options/types.ts";
import { generateSigningKey, privateLine, publicLine } from "../../../src/tuner/trust/keys.ts";

const key = publicLine(generateSigningKey("ci-2026"));
const other = publicLine(generateSigningKey("other"));
const root = resolve("/app");
const trustOf = (trust: unknown) => resolveOptions({ root, trust } as KernelPluginOptions, root, {}).trust;
const nothing = { keys: [], revoked: [], require: [], identities: [], trustedRoot: null };

it("is a list of keys, or an object with all its parts", () => {
  expect(trustOf(undefined)).toEqual(nothing);
  expect(trustOf([key, other])).toEqual({ ...nothing, keys: [key, other] });
  const identity = { issuer: "https://token.actions.githubusercontent.com", identity: "https://github.com/us/app" };
  const long = { keys: [key], revoked: ["old"], require: ["decision", "binary"], identities: [identity] };
  expect(trustOf({ ...long, trustedRoot: "trusted_root.json" })).toEqual({
    ...long,
    trustedRoot: resolve(root, "trusted_root.json"),
  });
});

it.each([
  ["a key that is none", ["key"]],
  ["a private key", [key.replace("ed25519:", "ed25519-private:")]],
  ["a key with spare bits", [`${key.slice(0, -2)}B=`]],
  ["two keys of one id", [key, other.replace("other", "ci-2026")]],
  ["a key under two ids", [key, key.replace("ci-2026", "ci-2027")]],
  ["a text", key],
  ["an unknown part", { keys: [key], note: 1 }],
  ["another requirement", { keys: [key], require: ["all"] }],
  ["a revoked key in place of its id", { keys: [key], revoked: [key] }],
  ["an identity without issuer", { identities: [{ identity: "a@b.c" }] }],
  ["an empty identity", { identities: [{ identity: "", issuer: "a" }] }],
  ["null", null],
  ["a promise, which would want nothing", Promise.resolve({ require: ["decision"] })],
  ["a Map", new Map([["require", ["decision"]]])],
  ["parts that it inherits", Object.create({ require: ["decision"] })],
  ["a requirement that is no list", { require: "decision" }],
  ["keys that are no list", { keys: { 0: key } }],
  ["a hole for a key", { keys: Array(1) }],
  ["a hole for a requirement", { require: Array(1) }],
  ["a number for a key", [1]],
  ["a path that is none", { trustedRoot: 1 }],
  ["a key with the end of a line of Windows", [`${key}\r`]],
  ["two keys in a text", [`${key}\n${other}`]],
  ["a key of an older form", ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== me@example"]],
])("is refused with %s", (_, trust) => {
  expect(() => trustOf(trust)).toThrow("options.bad-value: option trust is");
});

it.each(["rsa", "ec", "ed25519", "ed448"])("is refused with a key in PEM of %s", (type) => {
  const { publicKey } = generateKeyPairSync(type as "ed25519", { modulusLength: 2048, namedCurve: "P-256" } as object);
  const pem = publicKey.export({ format: "pem", type: "spki" }) as string;
  for (const text of [pem, `${pem}${pem}`, pem.replaceAll("\n", "\r\n")])
    expect(() => trustOf([text])).toThrow('option trust is ["-----BEGIN PUBLI…"]');
});

it("takes what a configuration in a context of its own made, whose Object is another", () => {
  expect(trustOf(runInNewContext(`({ keys: [${JSON.stringify(key)}] })`))).toEqual({ ...nothing, keys: [key] });
});

it("is not shown with what may be a private key", () => {
  const secret = privateLine(generateSigningKey("a"));
  for (const trust of [[secret], { keys: [secret] }, { trustedRoot: [secret] }]) {
    expect(() => trustOf(trust)).toThrow("ed25519-private:…");
    expect(() => trustOf(trust)).not.toThrow(secret.split(":")[2]!.slice(0, 4));
  }
});

it("is not where the private key comes from", () => {
  expect(resolveOptions({}, root, { UNPLUGIN_KERNEL_SIGNING_KEY: "x" }).signingKey).toBe("x");
  expect(resolveOptions({}, root, { UNPLUGIN_KERNEL_SIGNING_KEY: "" }).signingKey).toBeNull();
});
