// Parsers of keys, signatures and what they sign, and of the options that say whom a project trusts.

import { DiagnosticError } from "../../../../src/compiler/index.ts";
import { isTrust, resolveTrust } from "../../../../src/plugin/options/trust-option.ts";
import { policyOf } from "../../../../src/plugin/trust/policy-of.ts";
import { signingKeyOf } from "../../../../src/plugin/trust/signing-key.ts";
import { storeKey } from "../../../../src/tuner/store/store-key.ts";
import { parseBundle } from "../../../../src/tuner/trust/bundle.ts";
import { parsePublicKey, parseSigningKey, privateLine, publicLine } from "../../../../src/tuner/trust/keys.ts";
import { signStatement } from "../../../../src/tuner/trust/sign.ts";
import {
  type DecisionsStatement,
  decisionsPredicate,
  decodeDecisionsStatement,
  decodeKernelStatement,
  statementBytes,
} from "../../../../src/tuner/trust/statement.ts";
import { verifyBundle } from "../../../../src/tuner/trust/verify.ts";
import { kernelStatement } from "../../../tuner/trust/sample-statement.ts";
import { folderWith } from "../folder.ts";
import { type FuzzedParser, unless } from "../parser.ts";

/** Keys that are the same in each run, as seeds have to be. */
const privateText = `ed25519-private:ci-2026:${Buffer.alloc(32, 7).toString("base64")}`;
const key = parseSigningKey(privateText)!;
const publicText = publicLine(key);
const otherText = publicLine(parseSigningKey(`ed25519-private:other:${Buffer.alloc(32, 8).toString("base64")}`)!);
const bundle = await signStatement(kernelStatement, key);
const { dsseEnvelope, ...unsigned } = JSON.parse(bundle);
const certified = JSON.stringify({
  ...unsigned,
  verificationMaterial: { certificate: { rawBytes: "AAAA" }, tlogEntries: [] },
  dsseEnvelope,
});
const identity = { issuer: "https://token.actions.githubusercontent.com", identity: "https://github.com/us/app" };
const emptyRoot = {
  mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
  tlogs: [],
  certificateAuthorities: [],
  ctlogs: [],
  timestampAuthorities: [],
};
const log = {
  baseUrl: "https://rekor.sigstore.dev",
  hashAlgorithm: "SHA2_256",
  publicKey: { rawBytes: "AAAA", keyDetails: "PKIX_ECDSA_P256_SHA_256", validFor: { start: "2021-01-12T11:53:27Z" } },
  logId: { keyId: "wNI9atQGlz+VWfO6LRygH4QUfY/8W4RFwiT5i5WRgB0=" },
};
const policy = {
  keys: [parsePublicKey(publicText)!],
  revoked: ["old"],
  identities: [identity],
  trustedRoot: emptyRoot,
};
const decisions: DecisionsStatement = {
  ...kernelStatement,
  predicateType: decisionsPredicate,
  predicate: { decisions: 3, builder: "a machine of ours", time: "2026-11-25T01:23:45Z" },
};

const statementIn =
  (decode: typeof decodeKernelStatement | typeof decodeDecisionsStatement) =>
  (text: string): string | null => {
    const decoded = decode(Buffer.from(text));
    return "value" in decoded ? statementBytes(decoded.value).toString() : null;
  };

export const trustParsers: readonly FuzzedParser[] = [
  {
    name: "trust-option",
    seeds: () => [
      JSON.stringify([publicText, otherText]),
      JSON.stringify({ keys: [publicText], revoked: ["old"], require: ["decision", "binary"], identities: [identity] }),
      JSON.stringify({ keys: [], trustedRoot: "trusted_root.json" }),
    ],
    isPrinted: false,
    read(text) {
      const value = unless([SyntaxError], () => JSON.parse(text));
      if (value === null || !isTrust(value)) return null;
      const resolved = resolveTrust(value, (path) => path);
      const { keys } = policyOf({ ...resolved, trustedRoot: null });
      if (keys.length !== resolved.keys.length) throw new Error("a key that the option takes is none");
      return JSON.stringify(resolved);
    },
  },
  {
    name: "key",
    seeds: () => [publicText, privateText],
    read(text) {
      const [open, secret] = [parsePublicKey(text), parseSigningKey(text)];
      if (open && secret) throw new Error("it is a public key and a private one");
      return open ? publicLine(open) : secret && privateLine(secret);
    },
  },
  {
    name: "signing-key",
    seeds: () => [privateText, `${privateText}\n`],
    read(text) {
      const found = unless([DiagnosticError], () => signingKeyOf({ signingKey: text, signingKeyFile: null }));
      return found && privateLine(found);
    },
  },
  {
    name: "store-key",
    seeds: () => ["0123456789abcdef".repeat(4)],
    read(text) {
      if (text === "") return null;
      const found = unless([DiagnosticError], () => storeKey({ UNPLUGIN_KERNEL_STORE_KEY: text }));
      return found && Buffer.from(found).toString("hex");
    },
  },
  {
    // Bundles with a certificate go through the same library; it never holds here, as no authority is trusted.
    name: "signature",
    seeds: () => [bundle, certified],
    async read(text) {
      const parsed = parseBundle(text);
      const verified = await verifyBundle(text, policy);
      if ("why" in parsed) {
        if (verified.kind === "trusted") throw new Error("a signature of another form is trusted");
        return null;
      }
      const isSigned = verified.kind === "trusted";
      if (isSigned && !verified.payload.equals(statementBytes(kernelStatement)))
        throw new Error(`a payload is trusted that nobody signed: ${verified.payload}`);
      return JSON.stringify(parsed.value.json);
    },
  },
  {
    name: "kernel-statement",
    seeds: () => [statementBytes(kernelStatement).toString()],
    read: statementIn(decodeKernelStatement),
  },
  {
    name: "decisions-statement",
    seeds: () => [statementBytes(decisions).toString()],
    read: statementIn(decodeDecisionsStatement),
  },
  {
    name: "trusted-root",
    seeds: () => [JSON.stringify(emptyRoot), JSON.stringify({ ...emptyRoot, tlogs: [log], ctlogs: [log] }, null, 2)],
    isPrinted: false,
    async read(text) {
      const path = `${folderWith("trusted-root", { "trusted_root.json": text })}/trusted_root.json`;
      const trust = { keys: [], revoked: [], require: [], identities: [identity], trustedRoot: path };
      const root = unless([DiagnosticError], () => policyOf(trust));
      if (root === null) return null;
      const verified = await verifyBundle(certified, root);
      if (verified.kind === "trusted") throw new Error("a certificate of nobody is trusted");
      return verified.why;
    },
  },
];
