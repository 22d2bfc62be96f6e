// Signatures that somebody made to be misread: fields twice, other spellings of base64, right signatures of something else, a right one
// beside a wrong one. Whoever holds the listed key may have signed odd things, too.

import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { canonicalJson } from "../../../src/tuner/data/key.ts";
import { lockEntryJson } from "../../../src/tuner/lock/lock-entry.ts";
import { preAuthEncoding, signPayload } from "../../../src/tuner/trust/dsse.ts";
import { generateSigningKey, parsePublicKey, publicLine } from "../../../src/tuner/trust/keys.ts";
import { entryPredicate, signatureProblem, signEntry } from "../../../src/tuner/trust/lock-signature.ts";
import type { TrustPolicy } from "../../../src/tuner/trust/policy.ts";
import { signStatement } from "../../../src/tuner/trust/sign.ts";
import { decisionsStatement, signDecision, signerOfDecisions } from "../../../src/tuner/trust/signed-decisions.ts";
import { payloadType, statementBytes, statementType } from "../../../src/tuner/trust/statement.ts";
import { verifyBundle } from "../../../src/tuner/trust/verify.ts";
import { lockEntry } from "../store/sample-entry.ts";
import { kernelStatement } from "./sample-statement.ts";

const key = generateSigningKey("ci-1");
const other = generateSigningKey("other");
const policy: TrustPolicy = {
  keys: [key, other].map((one) => parsePublicKey(publicLine(one))!),
  revoked: [],
  identities: [],
  trustedRoot: null,
};
const digest = sha256("decisions\n");
const predicate = { decisions: 1, builder: "a test", time: "2026-11-25T00:00:00Z" };
const statement = decisionsStatement(digest, predicate);
const right = await signStatement(statement, key);
const rightToo = await signDecision(digest, other, predicate.time);
const signerOf = (bundle: string) => signerOfDecisions(digest, bundle, policy);

/** The listed key's signature on a text, as a bundle. */
function bundleOf(payload: string, type = payloadType): string {
  const bundle = JSON.parse(right);
  bundle.dsseEnvelope.payload = Buffer.from(payload).toString("base64");
  bundle.dsseEnvelope.signatures[0].sig = signPayload(type, Buffer.from(payload), key).toString("base64");
  return JSON.stringify(bundle);
}

it("is taken as it was made", async () => {
  expect(await signerOf(right)).toEqual({ kind: "signed", signer: "key ci-1", predicate });
  expect(await signerOf(bundleOf(statementBytes(statement).toString()))).toMatchObject({ kind: "signed" });
});

describe("a payload that a listed key has signed", () => {
  const text = statementBytes(statement).toString();
  it.each<[string, string, RegExp]>([
    ["with a subject twice", text.replace("{", '{"subject":[],'), /the field "subject" is there twice/],
    ["with a digest twice", text.replace('"sha256":', `"sha256":"${"0".repeat(64)}","sha256":`), /there twice/],
    ["with a name that is spelled otherwise", text.replace("{", '{"\\u0073ubject":[],'), /"subject" is there twice/],
    ["with a field of every object", text.replace("{", '{"__proto__":{"subject":[]},'), /__proto__ must be absent/],
    ["with more behind it", `${text}{}`, /text after the end/],
    ["of two subjects", text.replace('"subject":[', '"subject":[{"digest":{"sha256":"x"},"name":"a"},'), /sha256/],
    ["on another file", statementBytes(decisionsStatement(sha256("other"), predicate)).toString(), /not the file that/],
    ["on a kernel", statementBytes(kernelStatement).toString(), /predicateType must be/],
    ["without end", text.slice(0, -1), /is missing/],
    ["of a count that is no number", text.replace('"decisions":1', '"decisions":1e999'), /an integer in/],
    ["of nothing", "", /invalid bundle/],
  ])("%s counts for nothing", async (_, payload, why) => {
    expect(await signerOf(bundleOf(payload))).toEqual({ kind: "refused", why: expect.stringMatching(why) });
  });

  it("as another type of payload, or without the encoding around it, counts for nothing", async () => {
    for (const type of ["text/plain", "application/vnd.in-toto+json ", "", "application/vnd.in-toto+json 1"])
      expect(await signerOf(bundleOf(text, type))).toMatchObject({ kind: "refused" });
    // Where the length of a type was not signed, type and payload could trade letters.
    expect(preAuthEncoding("a 1 b", Buffer.from("c")).equals(preAuthEncoding("a", Buffer.from("b 1 c")))).toBe(false);
  });
});

describe("an envelope", () => {
  const wrong = Buffer.alloc(64, 1).toString("base64");
  const withSignatures = (...sigs: readonly object[]): string => {
    const bundle = JSON.parse(right);
    bundle.dsseEnvelope.signatures.splice(0, 1, ...sigs);
    return JSON.stringify(bundle);
  };
  const [good] = JSON.parse(right).dsseEnvelope.signatures as [{ sig: string; keyid: string }];
  const theirs = JSON.parse(rightToo).dsseEnvelope.signatures[0];

  it.each<[string, readonly object[]]>([
    ["a right signature before a wrong one", [good, { ...good, sig: wrong }]],
    ["a wrong signature before a right one", [{ ...good, sig: wrong }, good]],
    ["the signatures of two listed keys", [good, theirs]],
    ["a right signature twice", [good, good]],
    ["the signature of another listed key, under the id of the first", [{ ...theirs, keyid: good.keyid }]],
    ["the signature of another listed key, under its own id", [theirs]],
  ])("with %s counts for nothing", async (_, sigs) => {
    expect(await signerOf(withSignatures(...sigs))).toMatchObject({ kind: "refused" });
  });

  it.each<[string, (text: string) => string]>([
    ["a payload twice", (text) => text.replace('"payload":', '"payload":"AAAA","payload":')],
    ["a signature twice", (text) => text.replace('"sig":', '"sig":"AAAA","sig":')],
    ["a type twice", (text) => text.replace('"payloadType":', '"payloadType":"text/plain","payloadType":')],
    ["two signers", (text) => text.replace('"publicKey":', '"publicKey":{"hint":"other"},"publicKey":')],
  ])("with %s counts for nothing", async (_, change) => {
    expect(change(right)).not.toBe(right);
    expect(await signerOf(change(right))).toEqual({ kind: "refused", why: expect.stringContaining("there twice") });
  });

  /** The same bytes in other letters: of the last letter before "=" some bits say nothing. */
  const spare = (text: string): string => text.replace(/(.)(=+)$/, (_, last: string, end: string) => next(last) + end);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const next = (letter: string): string => letters[letters.indexOf(letter) + 1]!;
  it.each<[string, (text: string) => string]>([
    ["for URLs", (text) => text.replaceAll("+", "-").replaceAll("/", "_").replace(/^./, "_")],
    ["without its end", (text) => text.replace(/=+$/, "")],
    ["in lines", (text) => text.replace(/^(.{40})/, "$1\n")],
    ["with a space", (text) => ` ${text}`],
    ["with spare bits", spare],
  ])("in base64 %s counts for nothing", async (_, change) => {
    const bundle = JSON.parse(right);
    const [signature] = bundle.dsseEnvelope.signatures;
    signature.sig = change(signature.sig);
    expect(await signerOf(JSON.stringify(bundle))).toEqual({ kind: "refused", why: expect.stringContaining("base64") });
  });
});

describe("a signature in another place", () => {
  it("of a lock's entry is none on decisions, and that of decisions none on an entry", async () => {
    const { signature: _, ...entry } = signEntry(lockEntry, key);
    const subject = [{ name: "entry", digest: { sha256: sha256(canonicalJson(lockEntryJson(entry))) } }];
    const payload = canonicalJson({ _type: statementType, subject, predicateType: entryPredicate, predicate: {} });
    const bundle = bundleOf(payload);
    expect(await verifyBundle(bundle, policy)).toMatchObject({ kind: "trusted" });
    expect(await signerOf(bundle)).toEqual({ kind: "refused", why: expect.stringContaining("no file of decisions") });
    const { sig } = JSON.parse(right).dsseEnvelope.signatures[0];
    expect(signatureProblem({ ...entry, signature: { keyid: "ci-1", sig } }, policy)).toMatch(/did not sign it/);
    // The one of the same payload does hold: a bundle and a lock differ in what is around it.
    const again = JSON.parse(bundle).dsseEnvelope.signatures[0].sig;
    expect(signatureProblem({ ...entry, signature: { keyid: "ci-1", sig: again } }, policy)).toBeNull();
  });

  it("of an entry is none on that of another kernel, target, machine or key", () => {
    const signed = signEntry(lockEntry, key);
    const { target, op, measured } = signed;
    for (const change of [
      { op: { ...op, digest: "5".repeat(64) } },
      { target: { ...target, name: "avx512" as const } },
      { measured: { ...measured!, machine: "another" } },
      { signature: { ...signed.signature!, keyid: "other" } },
    ])
      expect(signatureProblem({ ...signed, ...change }, policy)).toMatch(/did not sign it, or it was changed since$/);
  });
});
