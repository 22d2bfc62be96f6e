// Form of a signature: a Sigstore bundle v0.3 with a DSSE envelope, whose signer is a public key by its id or a certificate.
// Decoded strictly before the library sees it, as that skips fields that it does not know.

import { type Decode, list, object, oneOf, optional, ShapeError, text } from "../support/strict.ts";
import { type Decoded, decodeJson, payloadType } from "./statement.ts";

export const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";
/** Most bytes of a bundle: a payload in base64, and a certificate with its entry of a log. */
export const mostBundleBytes = 2 ** 18;

/** Fields of a bundle that are read here. The library reads `json`. */
export interface SignedBundle {
  /** Id of the key; null: a certificate signed. */
  readonly keyId: string | null;
  readonly payload: Buffer;
  readonly json: unknown;
}

/** Base64 of which bytes have one text: bits beyond their end are zero. */
const base64 = text(
  2 ** 17,
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/,
  "base64",
);
const keyId = text(64);

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  /** `keyid`: absent where a certificate signed, as JSON of protocol buffers leaves out what is empty. */
  readonly signatures: readonly { readonly sig: string; readonly keyid?: string | undefined }[];
}

const decodeEnvelope: Decode<Envelope> = (value, path) => {
  const envelope = object<Envelope>({
    payload: base64,
    payloadType: oneOf(payloadType),
    signatures: list(object<Envelope["signatures"][number]>({ sig: base64, keyid: optional(keyId) }), 1),
  })(value, path);
  if (envelope.signatures.length !== 1) throw new ShapeError([...path, "signatures"], "one signature");
  return envelope;
};

/** Decodes an empty list: a key's signature needs no entry of a log and no time stamp, and nothing would check them. */
const none = list<never>((_, path) => {
  throw new ShapeError(path, "absent");
}, 0);

/** Part that the library decodes and checks; here its name is known, and no more. */
const ofLibrary: Decode<unknown> = (value) => value;

interface KeyMaterial {
  readonly publicKey: { readonly hint: string };
  readonly tlogEntries?: readonly never[] | undefined;
  readonly timestampVerificationData?: { readonly rfc3161Timestamps?: readonly never[] | undefined } | undefined;
}

const decodeKeyMaterial = object<KeyMaterial>({
  publicKey: object({ hint: keyId }),
  tlogEntries: optional(none),
  timestampVerificationData: optional(
    object<{ readonly rfc3161Timestamps?: readonly never[] | undefined }>({ rfc3161Timestamps: optional(none) }),
  ),
});

const decodeCertificateMaterial = object<{
  certificate: unknown;
  tlogEntries?: unknown;
  timestampVerificationData?: unknown;
}>({
  certificate: ofLibrary,
  tlogEntries: ofLibrary,
  timestampVerificationData: ofLibrary,
});

/** Decodes the signer: the id of a key; null for a certificate. */
const decodeSigner: Decode<string | null> = (value, path) => {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, "certificate")) {
    decodeCertificateMaterial(value, path);
    return null;
  }
  return decodeKeyMaterial(value, path).publicKey.hint;
};

interface Bundle {
  readonly mediaType: string;
  readonly verificationMaterial: string | null;
  readonly dsseEnvelope: Envelope;
}

const decodeFields = object<Bundle>({
  mediaType: oneOf(bundleType),
  verificationMaterial: decodeSigner,
  dsseEnvelope: decodeEnvelope,
});

const decodeBundle: Decode<SignedBundle> = (value, path) => {
  const { verificationMaterial: id, dsseEnvelope } = decodeFields(value, path);
  const { keyid = "" } = dsseEnvelope.signatures[0]!;
  if (id !== null && keyid !== "" && keyid !== id) {
    throw new ShapeError([...path, "dsseEnvelope", "signatures", 0, "keyid"], "the id of the key in publicKey.hint");
  }
  return { keyId: id, payload: Buffer.from(dsseEnvelope.payload, "base64"), json: value };
};

/** Parses the text of a bundle; `why`: what is wrong with its form. */
export const parseBundle = (content: string): Decoded<SignedBundle> =>
  decodeJson(content, mostBundleBytes, decodeBundle);
