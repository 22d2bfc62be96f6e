// Signers that are right, unknown, revoked or none × bundles that are whole or changed: only one of all combinations is trusted.

import { describe, expect, it } from "vitest";
import { signPayload } from "../../../src/tuner/trust/dsse.ts";
import { generateSigningKey, parsePublicKey, publicLine, type SigningKey } from "../../../src/tuner/trust/keys.ts";
import type { TrustPolicy } from "../../../src/tuner/trust/policy.ts";
import { signStatement } from "../../../src/tuner/trust/sign.ts";
import { decodeKernelStatement, statementBytes } from "../../../src/tuner/trust/statement.ts";
import { verifyBundle } from "../../../src/tuner/trust/verify.ts";
import { kernelStatement } from "./sample-statement.ts";

const right = generateSigningKey("ci-2026");
const other = generateSigningKey("other");
const listed = (...keys: readonly SigningKey[]): TrustPolicy => ({
  keys: keys.map((key) => parsePublicKey(publicLine(key))!),
  revoked: [],
  identities: [],
  trustedRoot: null,
});

interface Bundle {
  mediaType: string;
  verificationMaterial: Record<string, unknown>;
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string; keyid: string }[] };
}

/** Signs the statement with the right key, then changes the bundle. */
async function bundleWith(change: (bundle: Bundle) => void): Promise<string> {
  const bundle = JSON.parse(await signStatement(kernelStatement, right)) as Bundle;
  change(bundle);
  return JSON.stringify(bundle);
}

const policies: Readonly<Record<string, TrustPolicy>> = {
  "no key": listed(),
  "another key": listed(other),
  "another key of the same id": listed({ id: "ci-2026", key: other.key }),
  "a revoked key": { ...listed(right), revoked: ["ci-2026"] },
  "the right key": listed(right),
  "the right key among others": listed(other, right),
};
const trusting = ["the right key", "the right key among others"];

const changedPayload = Buffer.from(
  statementBytes({ ...kernelStatement, predicate: { ...kernelStatement.predicate, platform: "linux-arm64" } }),
).toString("base64");

/** The words with which the right key's owner refuses a bundle; null: it is trusted. */
const changes: Readonly<Record<string, readonly [(bundle: Bundle) => void, RegExp | null]>> = {
  "as it was signed": [() => {}, null],
  "without keyid in the envelope": [
    ({ dsseEnvelope }) => {
      dsseEnvelope.signatures[0]!.keyid = "";
    },
    null,
  ],
  "with another payload": [
    ({ dsseEnvelope }) => {
      dsseEnvelope.payload = changedPayload;
    },
    /was changed since/,
  ],
  "with another signature": [
    ({ dsseEnvelope }) => {
      const bytes = Buffer.from(dsseEnvelope.signatures[0]!.sig, "base64");
      bytes[0]! ^= 1;
      dsseEnvelope.signatures[0]!.sig = bytes.toString("base64");
    },
    /was not signed by key ci-2026/,
  ],
  "with an empty signature": [
    ({ dsseEnvelope }) => {
      dsseEnvelope.signatures[0]!.sig = "";
    },
    /does not|was not signed/,
  ],
  "without signatures": [
    ({ dsseEnvelope }) => {
      dsseEnvelope.signatures = [];
    },
    /another form: .*one signature/,
  ],
  "with two signatures": [
    ({ dsseEnvelope }) => void dsseEnvelope.signatures.push(dsseEnvelope.signatures[0]!),
    /a list of at most 1 items/,
  ],
  "signed as another type of payload": [
    ({ dsseEnvelope }) => {
      const payload = Buffer.from(dsseEnvelope.payload, "base64");
      dsseEnvelope.signatures[0]!.sig = signPayload("text/plain", payload, right).toString("base64");
    },
    /was not signed by key/,
  ],
  "of another type of payload": [
    ({ dsseEnvelope }) => {
      dsseEnvelope.payloadType = "text/plain";
    },
    /payloadType must be "application\/vnd\.in-toto\+json"/,
  ],
  "of another version": [
    (bundle) => {
      bundle.mediaType = "application/vnd.dev.sigstore.bundle+json;version=0.2";
    },
    /mediaType must be/,
  ],
  "with an unknown field": [(bundle) => void Object.assign(bundle, { note: "x" }), /note must be absent/],
  "with an unknown field in the envelope": [
    ({ dsseEnvelope }) => void Object.assign(dsseEnvelope, { note: "x" }),
    /dsseEnvelope\.note must be absent/,
  ],
  "that names an unknown key": [
    (bundle) => {
      bundle.verificationMaterial = { publicKey: { hint: "nobody" } };
      bundle.dsseEnvelope.signatures[0]!.keyid = "nobody";
    },
    /key nobody is not one that option trust lists/,
  ],
  "that names two keys": [
    (bundle) => {
      bundle.verificationMaterial = { publicKey: { hint: "other" } };
    },
    /keyid must be the id of the key in publicKey\.hint/,
  ],
  "that names no key": [
    (bundle) => {
      bundle.verificationMaterial = {};
    },
    /publicKey must be an object/,
  ],
  "with a certificate in place of the key": [
    (bundle) => {
      bundle.verificationMaterial = { certificate: { rawBytes: "AAAA" } };
    },
    /was signed without a key, and option trust lists no identities/,
  ],
  "with a certificate beside the key": [
    (bundle) => void Object.assign(bundle.verificationMaterial, { certificate: { rawBytes: "AAAA" } }),
    /publicKey must be absent/,
  ],
  "with an entry of a log that nothing checks": [
    (bundle) => void Object.assign(bundle.verificationMaterial, { tlogEntries: [{ logIndex: "1" }] }),
    /tlogEntries must be a list of at most 0 items/,
  ],
};

describe.each(Object.entries(changes))("a bundle %s", (what, [change, why]) => {
  it.each(Object.entries(policies))(`under a policy with %s`, async (policyName, policy) => {
    const verified = await verifyBundle(await bundleWith(change), policy);
    const isTrusted = why === null && trusting.includes(policyName);
    expect([what, policyName, verified.kind]).toEqual([what, policyName, isTrusted ? "trusted" : "refused"]);
    if (verified.kind === "trusted") {
      expect(verified.signer).toBe("key ci-2026");
      expect(decodeKernelStatement(verified.payload)).toEqual({ value: kernelStatement });
    } else if (why && trusting.includes(policyName)) expect(verified.why).toMatch(why);
  });
});

describe("text that is no bundle", () => {
  it.each([
    ["", /a value is missing/],
    ["null", /must be an object/],
    ["{", /field name is missing/],
    ['{"mediaType":1,"mediaType":2}', /there twice/],
    [`"${"x".repeat(300_000)}"`, /more than 262144 bytes/],
  ])("%j is refused", async (text, why) => {
    const verified = await verifyBundle(text, listed(right));
    expect(verified).toEqual({ kind: "refused", why: expect.stringMatching(why) });
  });
});

describe("policies", () => {
  it("name what is wrong with the key", async () => {
    const bundle = await signStatement(kernelStatement, right);
    expect(await verifyBundle(bundle, policies["a revoked key"]!)).toEqual({
      kind: "refused",
      why: "key ci-2026 is revoked",
    });
    expect(await verifyBundle(bundle, policies["no key"]!)).toEqual({
      kind: "refused",
      why: "key ci-2026 is not one that option trust lists",
    });
  });

  it("trust both keys while one follows the other, and the new one alone afterwards", async () => {
    const next = generateSigningKey("ci-2027");
    const [old, young] = [await signStatement(kernelStatement, right), await signStatement(kernelStatement, next)];
    const kinds = async (policy: TrustPolicy): Promise<string[]> =>
      Promise.all([old, young].map(async (bundle) => (await verifyBundle(bundle, policy)).kind));
    expect(await kinds(listed(right, next))).toEqual(["trusted", "trusted"]);
    expect(await kinds(listed(next))).toEqual(["refused", "trusted"]);
    expect(await kinds({ ...listed(right, next), revoked: ["ci-2026"] })).toEqual(["refused", "trusted"]);
  });
});
