// The files of an answer against the kernel that a build wants: signers × what was changed. Only whole files, rightly signed for
// this very kernel by a listed key, are trusted.

import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { generateSigningKey, parsePublicKey, publicLine, type SigningKey } from "../../../src/tuner/trust/keys.ts";
import type { TrustPolicy } from "../../../src/tuner/trust/policy.ts";
import { signStatement } from "../../../src/tuner/trust/sign.ts";
import {
  addonPath,
  checkFiles,
  decisionDigest,
  type Files,
  kernelStatementOf,
  signFiles,
  statementPath,
  type WantedKernel,
} from "../../../src/tuner/trust/signed-files.ts";
import { decisionsPredicate, type KernelStatement, statementType } from "../../../src/tuner/trust/statement.ts";
import { lockEntry } from "../store/sample-entry.ts";
import { addon, kernelStatement } from "./sample-statement.ts";

const right = generateSigningKey("ci-2026");
const other = generateSigningKey("other");
const listed = (...keys: readonly SigningKey[]): TrustPolicy => ({
  keys: keys.map((key) => parsePublicKey(publicLine(key))!),
  revoked: [],
  identities: [],
  trustedRoot: null,
});
const { sizes: _, ...facts } = kernelStatement.predicate;
const { scheduleKey, decision, platform, features } = facts;
const wanted: WantedKernel = { scheduleKey, decision, platform, features };
const blobs: Files = new Map([
  [addonPath, addon],
  ["decision.jsonl", Buffer.from("a decision\n")],
]);
const signed = await signFiles(facts, blobs, right);

/** Signs another statement on the same files, with the right key. */
async function signedWith(change: (statement: KernelStatement) => object): Promise<Files> {
  const statement = { ...kernelStatementOf(facts, blobs), ...change(kernelStatementOf(facts, blobs)) };
  return new Map([...blobs, [statementPath, Buffer.from(await signStatement(statement as KernelStatement, right))]]);
}
const without = (path: string): Files => new Map([...signed].filter(([name]) => name !== path));
const withFile = (path: string, bytes: Uint8Array): Files => new Map([...signed, [path, bytes]]);

const policies: Readonly<Record<string, TrustPolicy>> = {
  "no key": listed(),
  "another key": listed(generateSigningKey("third")),
  "a revoked key": { ...listed(right), revoked: ["ci-2026"] },
  "the right key": listed(right),
};

/** Files, and the words with which they are refused under the right key; null: they are trusted. */
const answers: Readonly<Record<string, readonly [Files | Promise<Files>, string | null]>> = {
  "as they were signed": [signed, null],
  "without statement": [without(statementPath), "it is not signed"],
  "without addon": [without(addonPath), "blobs/addon is missing"],
  "without the decision": [without("decision.jsonl"), "decision.jsonl is missing"],
  "with another addon": [withFile(addonPath, Buffer.from("another!")), "blobs/addon is not the file that was signed"],
  "with a longer addon": [
    withFile(addonPath, Buffer.from("an addon and more")),
    "blobs/addon is not the file that was signed",
  ],
  "with one that was not signed": [withFile("blobs/wasm", addon), "blobs/wasm is not signed"],
  "with one of a strange name": [withFile("blobs/\u001b[31m", addon), "blobs/?[31m is not signed"],
  "signed by another key": [signFiles(facts, blobs, other), "key other is not one that option trust lists"],
  "signed by another key under the right id": [
    signFiles(facts, blobs, { ...other, id: "ci-2026" }),
    "it was not signed by key ci-2026, or was changed since: signature verification failed",
  ],
  "signed for another kernel": [
    signFiles({ ...facts, scheduleKey: "9".repeat(64) }, blobs, right),
    "it was signed for another kernel",
  ],
  "signed for another decision": [
    signFiles({ ...facts, decision: "9".repeat(64) }, blobs, right),
    "it was built of another decision",
  ],
  "signed for another platform": [
    signFiles({ ...facts, platform: "darwin-arm64" }, blobs, right),
    "it is for darwin-arm64, this is linux-x64",
  ],
  "signed for another CPU": [
    signFiles({ ...facts, features: ["avx512f"] }, blobs, right),
    "it is for a CPU with avx512f",
  ],
  "signed without addon": [signFiles(facts, new Map([["decision.jsonl", addon]]), right), "it has no addon"],
  "signed with other sizes": [
    signedWith(({ predicate }) => ({ predicate: { ...predicate, sizes: { ...predicate.sizes, [addonPath]: 1 } } })),
    "blobs/addon is not the file that was signed",
  ],
  "signed with sizes of other files": [
    signedWith(({ predicate }) => ({ predicate: { ...predicate, sizes: {} } })),
    "its sizes are of other files",
  ],
  "signed as decisions": [
    signedWith(() => ({
      predicateType: decisionsPredicate,
      predicate: { decisions: 1, builder: "b", time: facts.time },
    })),
    `what key ci-2026 signed is no statement on a kernel: predicateType must be "https://www.npmjs.com/package/unplugin-kernel/attestation/kernel/v1"`,
  ],
  "signed with a fact that is not known": [
    signedWith(({ predicate }) => ({ predicate: { ...predicate, note: 1 } })),
    "what key ci-2026 signed is no statement on a kernel: predicate.note must be absent: the known fields are scheduleKey, decision, sizes, toolchain, platform, features, builder, time",
  ],
};

describe.each(Object.entries(answers))("files %s", (what, [files, why]) => {
  it.each(Object.entries(policies))("under a policy with %s", async (name, policy) => {
    const checked = await checkFiles(await files, wanted, policy);
    const isTrusted = why === null && name === "the right key";
    expect([what, name, checked.kind]).toEqual([what, name, isTrusted ? "trusted" : "refused"]);
    if (checked.kind === "trusted") expect(checked).toMatchObject({ addon, signer: "key ci-2026", facts });
    else if (name === "the right key") expect(checked.why).toBe(why);
  });
});

it("statements list their files in one order, each with digest and size", () => {
  const statement = kernelStatementOf(facts, new Map([...blobs].reverse()));
  expect(statement).toEqual(kernelStatementOf(facts, blobs));
  expect(statement._type).toBe(statementType);
  expect(statement.subject).toEqual([
    { name: addonPath, digest: { sha256: sha256(addon) } },
    { name: "decision.jsonl", digest: { sha256: sha256("a decision\n") } },
  ]);
  expect(statement.predicate.sizes).toEqual({ [addonPath]: addon.length, "decision.jsonl": 11 });
});

it("a decision's digest follows from the decisions and their source, and not from its timing", () => {
  const { candidate, source } = lockEntry;
  const digest = decisionDigest(lockEntry);
  expect(digest).toBe(decisionDigest({ candidate, source }));
  expect(decisionDigest({ candidate, source: "0".repeat(64) })).not.toBe(digest);
  expect(decisionDigest({ candidate: { ...candidate, template: "other" }, source })).not.toBe(digest);
});
