// Signatures without a key, of a Sigstore instance that the test makes: one that holds, and each way in which one does not.

import { describe, expect, it } from "vitest";
import { signKeyless } from "../../../src/tuner/trust/keyless.ts";
import type { TrustPolicy } from "../../../src/tuner/trust/policy.ts";
import { decodeKernelStatement, payloadType, statementBytes } from "../../../src/tuner/trust/statement.ts";
import { verifyBundle } from "../../../src/tuner/trust/verify.ts";
import { makeInstance, type Signer, type SigningTimes } from "../../support/sigstore/instance.ts";
import { kernelStatement } from "./sample-statement.ts";

const ours = makeInstance();
const theirs = makeInstance();
const signer: Signer = {
  identity: "https://git.example/us/app/.github/workflows/release.yml@refs/heads/main",
  issuer: "https://token.git.example",
};
const policy: TrustPolicy = { keys: [], revoked: [], identities: [signer], trustedRoot: ours.trustedRoot };

interface Bundle {
  verificationMaterial: {
    certificate: { rawBytes: string };
    tlogEntries: Record<string, unknown>[];
  };
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
}

/** Signs the statement as `cache sign --keyless` does. */
async function signed(by = signer, times: Partial<SigningTimes> = {}, instance = ours): Promise<string> {
  const attest = async (payload: Buffer, type: string): Promise<object> => instance.attest(payload, type, by, times);
  const done = await signKeyless(kernelStatement, async () => ({ attest }));
  if (done.kind !== "signed") throw new Error(done.kind);
  return done.bundle;
}

const changed = async (change: (bundle: Bundle, other: Bundle) => void): Promise<string> => {
  const [bundle, other] = [JSON.parse(await signed()) as Bundle, JSON.parse(await signed()) as Bundle];
  change(bundle, other);
  return JSON.stringify(bundle);
};

describe("a signature of a private Sigstore", () => {
  it("counts under an identity and an issuer that are listed", async () => {
    const verified = await verifyBundle(await signed(), policy);
    expect(verified).toMatchObject({ kind: "trusted", signer: signer.identity });
    if (verified.kind === "trusted")
      expect(decodeKernelStatement(verified.payload)).toEqual({ value: kernelStatement });
  });

  it("counts for an e-mail address, too", async () => {
    const person = { identity: "me@example.org", issuer: "https://accounts.example.org" };
    const trusting = { ...policy, identities: [signer, person] };
    expect(await verifyBundle(await signed(person), trusting)).toMatchObject({ signer: "me@example.org" });
  });

  const hour = 3_600_000;
  const start = new Date("2026-11-25T00:00:00Z");
  const doesNotHold = "its keyless signature does not hold: ";
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");

  it.each<[string, () => Promise<string>, TrustPolicy, string]>([
    [
      "another identity",
      () => signed({ ...signer, identity: signer.identity.replace("main", "main2") }),
      policy,
      "whom option trust does not list",
    ],
    [
      "a part of a listed identity",
      () => signed({ ...signer, identity: "https://git.example/us" }),
      policy,
      "does not list",
    ],
    [
      "an identity that a listed one, taken as a pattern, would fit",
      () => signed({ ...signer, identity: signer.identity.replace("git.example", "gitXexample") }),
      policy,
      "does not list",
    ],
    ["another issuer", () => signed({ ...signer, issuer: "https://token.other.example" }), policy, "does not list"],
    ["nobody, as none is listed", () => signed(), { ...policy, identities: [] }, "option trust lists no identities"],
    ["an instance that is not trusted", () => signed(signer, {}, theirs), policy, doesNotHold],
    [
      "an instance, under the root of another",
      () => signed(),
      { ...policy, trustedRoot: theirs.trustedRoot },
      doesNotHold,
    ],
    [
      "a certificate that had expired",
      () => signed(signer, { certified: start, logged: new Date(start.getTime() + hour) }),
      policy,
      doesNotHold,
    ],
    [
      "a certificate that did not hold yet",
      () => signed(signer, { certified: start, logged: new Date(start.getTime() - hour) }),
      policy,
      doesNotHold,
    ],
    [
      "a certificate without any time",
      () =>
        changed(({ verificationMaterial }) => {
          verificationMaterial.tlogEntries = [];
        }),
      policy,
      doesNotHold,
    ],
    [
      "a log that promises nothing, so that no time is proven",
      () => changed(({ verificationMaterial }) => void delete verificationMaterial.tlogEntries[0]!.inclusionPromise),
      policy,
      doesNotHold,
    ],
    [
      "a time that the log did not say",
      () =>
        changed(({ verificationMaterial }) => {
          verificationMaterial.tlogEntries[0]!.integratedTime = String(start.getTime() / 1000 + 120);
        }),
      policy,
      doesNotHold,
    ],
    [
      "the log's entry of another signature",
      () =>
        changed(({ verificationMaterial }, other) => {
          verificationMaterial.tlogEntries = other.verificationMaterial.tlogEntries;
        }),
      policy,
      doesNotHold,
    ],
    [
      "the certificate of another signature of the same signer",
      () =>
        changed(({ verificationMaterial }, other) => {
          verificationMaterial.certificate = other.verificationMaterial.certificate;
        }),
      policy,
      doesNotHold,
    ],
    [
      "a changed payload",
      () =>
        changed(({ dsseEnvelope }) => {
          dsseEnvelope.payload = statementBytes({
            ...kernelStatement,
            predicate: { ...kernelStatement.predicate, platform: "linux-arm64" },
          }).toString("base64");
        }),
      policy,
      doesNotHold,
    ],
    [
      "a changed certificate",
      () =>
        changed(({ verificationMaterial }) => {
          const text = bytes(verificationMaterial.certificate.rawBytes)
            .toString("latin1")
            .replace("/us/app/", "/us/aqp/");
          verificationMaterial.certificate.rawBytes = Buffer.from(text, "latin1").toString("base64");
        }),
      { ...policy, identities: [{ ...signer, identity: signer.identity.replace("/us/app/", "/us/aqp/") }] },
      doesNotHold,
    ],
    [
      "another type of payload",
      () =>
        changed(({ dsseEnvelope }) => {
          dsseEnvelope.payloadType = "text/plain";
        }),
      policy,
      `payloadType must be "${payloadType}"`,
    ],
  ])("is refused of %s", async (_, make, under, why) => {
    expect(await verifyBundle(await make(), under)).toEqual({ kind: "refused", why: expect.stringContaining(why) });
  });
});
