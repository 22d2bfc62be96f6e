// A strict S3: signatures with the digest of the body, objects that are created once, the errors that S3 has.

import { createHash } from "node:crypto";
import { type Double, type Refusal, type Strictness, startDouble } from "./double.ts";
import { signatureOf } from "./signature.ts";

const error = (status: number, code: string): Refusal => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
});

export interface S3Double extends Double {
  /** Answers of the next requests, in order, as `[status, code]`; null: the usual. */
  readonly next: (readonly [number, string] | null)[];
  /** Whether the keys may list the bucket: without it, 403 stands for 404. */
  mayList: boolean;
  mayWrite: boolean;
}

export const s3Environment = {
  AWS_ACCESS_KEY_ID: "AKIDKNOWN",
  AWS_SECRET_ACCESS_KEY: "s3-secret",
  AWS_REGION: "eu-west-1",
};

const authorization =
  /^AWS4-HMAC-SHA256 Credential=(?<id>\w+)\/(?<date>\d{8})\/eu-west-1\/s3\/aws4_request, SignedHeaders=(?<signed>[\w;-]+), Signature=(?<given>[0-9a-f]{64})$/;

export async function startS3(): Promise<S3Double> {
  const next: S3Double["next"] = [];
  const rights = { mayList: true, mayWrite: true };
  const strictness: Strictness = (request, body, files) => {
    const { method, url = "", headers } = request;
    const forced = next.shift();
    if (forced) return error(...forced);
    const { id, date = "", signed = "", given } = authorization.exec(headers.authorization ?? "")?.groups ?? {};
    if (id === undefined) return error(403, "AccessDenied");
    if (id !== s3Environment.AWS_ACCESS_KEY_ID) return error(403, "InvalidAccessKeyId");
    const names = signed.split(";");
    const hasAll = ["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name));
    const signing = { date, region: "eu-west-1", signed: names, secret: s3Environment.AWS_SECRET_ACCESS_KEY };
    if (!hasAll || signatureOf(request, signing) !== given) return error(403, "SignatureDoesNotMatch");
    const digest = createHash("sha256").update(body).digest("hex");
    if (headers["x-amz-content-sha256"] !== digest) return error(400, "XAmzContentSHA256Mismatch");
    if (method === "GET" && !files.has(url))
      return rights.mayList ? error(404, "NoSuchKey") : error(403, "AccessDenied");
    if (method !== "PUT") return null;
    if (!rights.mayWrite) return error(403, "AccessDenied");
    const isOnce = headers["if-none-match"] === "*" && names.includes("if-none-match");
    if (/\/ac\/[0-9a-f]{64}$/.test(url) && !isOnce) return error(400, "NotCreatedOnce");
    return isOnce && files.has(url) ? error(412, "PreconditionFailed") : null;
  };
  return Object.assign(rights, { next }, await startDouble(strictness));
}
