// Signatures of lock entries: they survive the file, and cover every other field.

import { expect, it } from "vitest";
import type { LockEntry } from "../../../src/tuner/lock/lock-entry.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { generateSigningKey, parsePublicKey, publicLine, type SigningKey } from "../../../src/tuner/trust/keys.ts";
import { signatureProblem, signEntry } from "../../../src/tuner/trust/lock-signature.ts";
import type { TrustPolicy } from "../../../src/tuner/trust/policy.ts";
import { lockEntry } from "../store/sample-entry.ts";

const key = generateSigningKey("ci-1");
const policyOf = (...keys: readonly SigningKey[]): TrustPolicy => ({
  keys: keys.map((one) => parsePublicKey(publicLine(one))!),
  revoked: [],
  identities: [],
  trustedRoot: null,
});
const signed = signEntry(lockEntry, key);
const name = "src/gemm.op.ts?tune=avx2";

function throughFile(entry: LockEntry): LockEntry {
  const content = parseLockfile(printLockfile(new Map([[name, entry]])), "kernels.lock.json");
  if (content.kind !== "ok") throw new Error(content.diagnostic.message);
  return content.entries.get(name)!;
}

it("stands in one line, the last of the entry, and holds after the file was read", () => {
  const lines = printLockfile(new Map([[name, signed]])).split("\n");
  expect(lines.at(-5)).toMatch(/^ {6}"signature": \{"keyid": "ci-1", "sig": "[A-Za-z0-9+/]{86}=="\}$/);
  expect(throughFile(signed)).toEqual(signed);
  expect(signatureProblem(throughFile(signed), policyOf(key))).toBeNull();
});

it("leaves the file of entries without one as it was", () => {
  expect(printLockfile(new Map([[name, lockEntry]]))).not.toContain("signature");
  expect(Object.keys(throughFile(lockEntry))).not.toContain("signature");
});

it("of a prediction holds, too", () => {
  expect(signatureProblem(signEntry({ ...lockEntry, measured: null }, key), policyOf(key))).toBeNull();
});

it("is replaced when the entry is signed again", () => {
  const next = generateSigningKey("ci-2");
  expect(signatureProblem(signEntry(signed, next), policyOf(next))).toBeNull();
  expect(signatureProblem(signEntry(signed, next), policyOf(key))).toMatch(/^key ci-2 is not one/);
});

it.each<[string, LockEntry, TrustPolicy, RegExp]>([
  ["that is not signed", lockEntry, policyOf(key), /^it is not signed$/],
  ["under no keys", signed, policyOf(), /^key ci-1 is not one that option trust lists$/],
  ["under a revoked key", signed, { ...policyOf(key), revoked: ["ci-1"] }, /^key ci-1 is revoked$/],
  ["under another key of the id", signed, policyOf({ ...generateSigningKey("x"), id: "ci-1" }), /did not sign it/],
  [
    "with another's signature",
    { ...signed, signature: signEntry({ ...lockEntry, threads: 2 }, key).signature },
    policyOf(key),
    /was changed since$/,
  ],
])("does not hold for an entry %s", (_, entry, policy, why) => {
  expect(signatureProblem(entry, policy)).toMatch(why);
});

const changed: Readonly<Record<string, Partial<LockEntry>>> = {
  op: { op: { ...lockEntry.op, digest: "3".repeat(64) } },
  target: { target: { ...lockEntry.target, l1Bytes: 1 } },
  numerics: { numerics: "strict" },
  threads: { threads: 2 },
  codegen: { codegen: "2" },
  candidate: { candidate: { ...lockEntry.candidate, assignment: { "C.i.0": 5, "C.i.1": 12 } } },
  source: { source: "4".repeat(64) },
  measured: { measured: { ...signed.measured!, gflops: 187 } },
};

it("covers each field", () => {
  const { signature: _, ...fields } = signed;
  expect(Object.keys(changed)).toEqual(Object.keys(fields));
  for (const change of Object.values(changed))
    expect(signatureProblem({ ...signed, ...change }, policyOf(key))).toMatch(/was changed since/);
});

it.each([
  ["an unknown field", { keyid: "a", sig: signed.signature!.sig, note: 1 }],
  ["a short signature", { keyid: "a", sig: "AAAA" }],
  ["no key", { sig: signed.signature!.sig }],
  ["an id with a space", { keyid: "a b", sig: signed.signature!.sig }],
  ["null", null],
])("is refused by the lock's decoder with %s", (_, signature) => {
  const text = printLockfile(new Map([[name, { ...lockEntry, signature: signature as never }]]));
  expect(parseLockfile(text, "kernels.lock.json")).toMatchObject({ kind: "broken" });
});
