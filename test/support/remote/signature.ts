// AWS's signature, version 4, computed from a request as it arrives and without the library that signed it.

import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Signing {
  readonly date: string;
  readonly region: string;
  /** Names of the headers that are signed, in order. */
  readonly signed: readonly string[];
  readonly secret: string;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Signature of a request for S3 without a query, in hexadecimal digits. */
export function signatureOf(
  { method, url, headers }: IncomingMessage,
  { date, region, signed, secret }: Signing,
): string {
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join("");
  const canonical = [method, url, "", lines, signed.join(";"), headers["x-amz-content-sha256"]].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const digest = createHash("sha256").update(canonical).digest("hex");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, date));
  return hmac(key, ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest].join("\n")).toString("hex");
}
