// Signing without a key: the package is loaded for it alone, and what may go wrong is said. And the form of such signatures when verified.

import { expect, it } from "vitest";
import { signKeyless } from "../../../src/tuner/trust/keyless.ts";
import { generateSigningKey } from "../../../src/tuner/trust/keys.ts";
import { signStatement } from "../../../src/tuner/trust/sign.ts";
import { payloadType, statementBytes } from "../../../src/tuner/trust/statement.ts";
import { verifyBundle } from "../../../src/tuner/trust/verify.ts";
import { kernelStatement } from "./sample-statement.ts";

it("gives the package the statement and its type", async () => {
  const asked: unknown[] = [];
  const attest = async (...args: unknown[]): Promise<object> => {
    asked.push(...args);
    return { mediaType: "a bundle" };
  };
  expect(await signKeyless(kernelStatement, async () => ({ attest }))).toEqual({
    kind: "signed",
    bundle: '{"mediaType":"a bundle"}\n',
  });
  expect(asked).toEqual([statementBytes(kernelStatement), payloadType]);
});

it("says that the package is missing, and does not take other failures for that", async () => {
  const missing = Object.assign(new Error("Cannot find package 'sigstore'"), { code: "ERR_MODULE_NOT_FOUND" });
  expect(await signKeyless(kernelStatement, () => Promise.reject(missing))).toEqual({ kind: "no-sigstore" });
  await expect(signKeyless(kernelStatement, () => Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
});

it("says why Sigstore does not sign", async () => {
  const attest = () => Promise.reject(new Error("no identity token\nmore"));
  expect(await signKeyless(kernelStatement, async () => ({ attest }))).toEqual({
    kind: "failed",
    why: "no identity token",
  });
});

const identity = { issuer: "https://token.actions.githubusercontent.com", identity: "https://github.com/us/app" };
const emptyRoot = {
  mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
  tlogs: [],
  certificateAuthorities: [],
  ctlogs: [],
  timestampAuthorities: [],
};
const policy = { keys: [], revoked: [], identities: [identity], trustedRoot: emptyRoot as unknown };

async function certified(): Promise<string> {
  const bundle = JSON.parse(await signStatement(kernelStatement, generateSigningKey("a")));
  bundle.verificationMaterial = { certificate: { rawBytes: "AAAA" } };
  return JSON.stringify(bundle);
}

it.each([
  ["no identities", { ...policy, identities: [] }, /option trust lists no identities/],
  ["no trusted root", { ...policy, trustedRoot: null }, /option trust names no trustedRoot/],
  ["a trusted root without authorities", policy, /its keyless signature does not hold: /],
  ["a trusted root that is none", { ...policy, trustedRoot: "text" }, /its keyless signature does not hold: /],
])("a certificate counts for nothing under %s", async (_, under, why) => {
  expect(await verifyBundle(await certified(), under)).toEqual({ kind: "refused", why: expect.stringMatching(why) });
});
