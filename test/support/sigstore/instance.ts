// A Sigstore instance of our own, in memory: an authority that certifies identities (Fulcio), a log of certificates, and a log of
// signatures (Rekor), with the trusted root that its users would list. It signs as package sigstore does with servers.

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { bundleToJSON, toDSSEBundle } from "@sigstore/bundle";
import { preAuthEncoding } from "../../../src/tuner/trust/dsse.ts";
import * as der from "./der.ts";

interface Keys {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
}

function makeKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, spki: publicKey.export({ format: "der", type: "spki" }) };
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const big = (value: bigint, length: number): Buffer => Buffer.from(value.toString(16).padStart(length * 2, "0"), "hex");

const ecdsaWithSha256 = der.sequence(der.oid("1.2.840.10045.4.3.2"));
const nameOf = (name: string): Buffer => der.sequence(der.set(der.sequence(der.oid("2.5.4.3"), der.text(name))));
const extension = (id: string, value: Uint8Array, isCritical = false): Buffer =>
  der.sequence(der.oid(id), ...(isCritical ? [der.yes] : []), der.octets(value));

interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly from: Date;
  readonly to: Date;
  readonly spki: Buffer;
}

/** The part of a certificate that is signed. */
const toBeSigned = ({ subject, issuer, from, to, spki }: Certificate, extensions: readonly Buffer[]): Buffer =>
  der.sequence(
    der.tagged(0xa0, der.integer(2)),
    der.integer(1),
    ecdsaWithSha256,
    nameOf(issuer),
    der.sequence(der.time(from), der.time(to)),
    nameOf(subject),
    spki,
    der.tagged(0xa3, der.sequence(...extensions)),
  );

const certified = (content: Buffer, key: KeyObject): Buffer =>
  der.sequence(content, ecdsaWithSha256, der.bits(sign("sha256", content, key)));

export interface Signer {
  /** URL of a workflow with its branch, or an e-mail address. */
  readonly identity: string;
  /** URL of who vouches for the identity. */
  readonly issuer: string;
}

export interface SigningTimes {
  /** When the certificate begins to hold; it holds for ten minutes. */
  readonly certified: Date;
  /** When the log has taken the signature. */
  readonly logged: Date;
}

const minutes = (date: Date, count: number): Date => new Date(date.getTime() + count * 60_000);

export interface Instance {
  /** Content of `trusted_root.json`. */
  readonly trustedRoot: object;
  /** Signs as package sigstore's `attest` does; returns the bundle as JSON. */
  attest(payload: Buffer, payloadType: string, signer: Signer, times?: Partial<SigningTimes>): object;
}

const begin = new Date("2026-01-01T00:00:00Z");
const now = new Date("2026-11-25T00:00:00Z");
const authority = "an authority of ours";
const log = "rekor.example";

/** Makes an instance with keys of its own. */
export function makeInstance(): Instance {
  const [root, ctLog, rekor] = [makeKeys(), makeKeys(), makeKeys()];
  const rootCertificate = certified(
    toBeSigned({ subject: authority, issuer: authority, from: begin, to: minutes(begin, 1e6), spki: root.spki }, [
      extension("2.5.29.15", der.bits(Buffer.from([0x06]), 1), true),
      extension("2.5.29.19", der.sequence(der.yes), true),
    ]),
    root.privateKey,
  );

  /** Certifies a key for an identity, with the time stamp of the log of certificates. */
  function certify({ identity, issuer }: Signer, spki: Buffer, from: Date): Buffer {
    const certificate = { subject: "", issuer: authority, from, to: minutes(from, 10), spki };
    const name = der.tagged(identity.includes("://") ? 0x86 : 0x81, Buffer.from(identity));
    const extensions = [
      extension("2.5.29.15", der.bits(Buffer.from([0x80]), 7), true),
      extension("2.5.29.17", der.sequence(name), true),
      extension("1.3.6.1.4.1.57264.1.8", der.text(issuer)),
    ];
    const content = toBeSigned(certificate, extensions);
    const stamp = big(BigInt(from.getTime()), 8);
    const head = [Buffer.from([0, 0]), stamp, big(1n, 2), sha256(root.spki), big(BigInt(content.length), 3)];
    const signature = sign("sha256", Buffer.concat([...head, content, big(0n, 2)]), ctLog.privateKey);
    const tail = [big(0n, 2), Buffer.from([4, 3]), big(BigInt(signature.length), 2), signature];
    const sct = Buffer.concat([Buffer.from([0]), sha256(ctLog.spki), stamp, ...tail]);
    const list = Buffer.concat([big(BigInt(sct.length + 2), 2), big(BigInt(sct.length), 2), sct]);
    const stamped = [...extensions, extension("1.3.6.1.4.1.11129.2.4.2", der.octets(list))];
    return certified(toBeSigned(certificate, stamped), root.privateKey);
  }

  /** The log's entry of a signature: its promise, and the proof that it is the only entry of a log. */
  function entryOf(payload: Buffer, signature: Buffer, logged: Date): object {
    const spec = {
      payloadHash: { algorithm: "sha256", value: sha256(payload).toString("hex") },
      signatures: [{ signature: base64(signature) }],
    };
    const body = Buffer.from(JSON.stringify({ apiVersion: "0.0.1", kind: "dsse", spec }));
    const integratedTime = logged.getTime() / 1000;
    const logId = sha256(rekor.spki);
    const promise = JSON.stringify({ body: base64(body), integratedTime, logID: logId.toString("hex"), logIndex: 0 });
    const rootHash = sha256(Buffer.from([0]), body);
    const note = `${log} - 1\n1\n${base64(rootHash)}\n`;
    const signed = Buffer.concat([logId.subarray(0, 4), sign("sha256", Buffer.from(note), rekor.privateKey)]);
    return {
      logIndex: "0",
      logId: { keyId: base64(logId) },
      kindVersion: { kind: "dsse", version: "0.0.1" },
      integratedTime: String(integratedTime),
      inclusionPromise: { signedEntryTimestamp: base64(sign("sha256", Buffer.from(promise), rekor.privateKey)) },
      inclusionProof: {
        logIndex: "0",
        rootHash: base64(rootHash),
        treeSize: "1",
        hashes: [],
        checkpoint: { envelope: `${note}\n\u2014 ${log} ${base64(signed)}\n` },
      },
      canonicalizedBody: base64(body),
    };
  }

  const logOf = ({ spki }: Keys, baseUrl: string): object => ({
    baseUrl,
    hashAlgorithm: "SHA2_256",
    publicKey: {
      rawBytes: base64(spki),
      keyDetails: "PKIX_ECDSA_P256_SHA_256",
      validFor: { start: begin.toISOString() },
    },
    logId: { keyId: base64(sha256(spki)) },
  });

  return {
    trustedRoot: {
      mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
      tlogs: [logOf(rekor, `https://${log}`)],
      certificateAuthorities: [
        {
          subject: { organization: "ours", commonName: authority },
          uri: "https://fulcio.example",
          certChain: { certificates: [{ rawBytes: base64(rootCertificate) }] },
          validFor: { start: begin.toISOString() },
        },
      ],
      ctlogs: [logOf(ctLog, "https://ct.example")],
      timestampAuthorities: [],
    },
    attest(payload, payloadType, signer, { certified: from = now, logged = minutes(from, 1) } = {}) {
      const own = makeKeys();
      const signature = sign("sha256", preAuthEncoding(payloadType, payload), own.privateKey);
      const certificate = certify(signer, own.spki, from);
      const json = bundleToJSON(toDSSEBundle({ artifact: payload, artifactType: payloadType, signature, certificate }));
      const material = json.verificationMaterial as object;
      return { ...json, verificationMaterial: { ...material, tlogEntries: [entryOf(payload, signature, logged)] } };
    },
  };
}
