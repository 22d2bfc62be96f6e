// Option trust: its two forms, and what is refused.

import { resolve } from "node:path";
import { expect, it } from "vitest";
import { resolveOptions } from "../../../src/plugin/options.ts";
import type { KernelPluginOptions } from "../../../src/plugin/types.ts";
import { generateSigningKey, publicLine } from "../../../src/tuner/trust/keys.ts";

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
  ["a text", key],
  ["an unknown part", { keys: [key], note: 1 }],
  ["another requirement", { keys: [key], require: ["all"] }],
  ["a revoked key in place of its id", { keys: [key], revoked: [key] }],
  ["an identity without issuer", { identities: [{ identity: "a@b.c" }] }],
  ["an empty identity", { identities: [{ identity: "", issuer: "a" }] }],
  ["null", null],
])("is refused with %s", (_, trust) => {
  expect(() => trustOf(trust)).toThrow("options.bad-value: option trust is");
});

it("is not where the private key comes from", () => {
  expect(resolveOptions({}, root, { UNPLUGIN_KERNEL_SIGNING_KEY: "x" }).signingKey).toBe("x");
  expect(resolveOptions({}, root, { UNPLUGIN_KERNEL_SIGNING_KEY: "" }).signingKey).toBeNull();
});
