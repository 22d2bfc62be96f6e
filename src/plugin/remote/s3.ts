// S3 and what is compatible with it: objects `<url>/ac/<key>` and `<url>/cas/<sha256>`, requests signed with the keys of the environment.

import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { type HttpReply, pause, sendHttp } from "../../native/network/http.ts";
import type { S3Keys } from "../options/remote-options.ts";
import { addressOf, type BytesReply, type PutReply, type Transport, type TransportLimits } from "./transport.ts";

export interface S3Options {
  readonly url: string;
  readonly namespace: string | null;
  readonly region: string;
  readonly keys: S3Keys | null;
  readonly limits: TransportLimits;
  /** Time before a request is sent again, in milliseconds. */
  readonly pauseMs?: number;
}

/** Most times that a write is sent again of which the server says that another one came between (409). */
const mostConflicts = 2;

interface S3Request {
  readonly method: "GET" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Headers of a signed request; the digest of the body is signed, so the server checks what arrives. */
async function signedHeaders({ method, url, headers, body }: S3Request, keys: S3Keys, region: string) {
  const digest = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "x-amz-content-sha256": digest },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== null && { sessionToken }),
    service: "s3",
    region,
  });
  return Object.fromEntries((await signer.sign()).headers.entries());
}

/** Code of an error, such as AccessDenied. */
const codeOf = (bytes: Uint8Array): string | null =>
  /<Code>(\w{1,60})<\/Code>/.exec(Buffer.from(bytes).toString("utf8"))?.[1] ?? null;

const statusText = (status: number, code: string | null): string => (code === null ? `${status}` : `${status} ${code}`);

const source = "AWS_ACCESS_KEY_ID";

function denialOf(keys: S3Keys | null, status: number, code: string | null, doing: "read" | "written"): string {
  const refusal = `the remote store refuses to be ${doing} (${statusText(status, code)})`;
  if (keys === null) return `${refusal}: the keys are missing; set ${source} and AWS_SECRET_ACCESS_KEY`;
  if (code === "RequestTimeTooSkewed") return `${refusal}: the clock of this machine is wrong`;
  return code === "AccessDenied" || (code === null && status === 403)
    ? `${refusal}: ${source} has no right to it`
    : `${refusal}: it does not accept ${source}`;
}

/** S3 answers 403 for an object that is not there to those who may not list the bucket. */
const unlisted =
  "the remote store answers 403 AccessDenied, which may mean that it does not have the kernel: it counts as that; the right s3:ListBucket makes it say so, if the keys may read";

export function s3Cache({ url, namespace, region, keys, limits, pauseMs = 500 }: S3Options): Transport {
  async function once(request: S3Request, timeoutMs: number, mostBytes: number): Promise<HttpReply> {
    const headers = keys === null ? (request.headers ?? {}) : await signedHeaders(request, keys, region);
    return sendHttp({ ...request, headers, follow: false }, { timeoutMs, mostBytes, signal: limits.signal });
  }

  /** A server that is asked too often says so by 503, and is asked once more. */
  async function send(request: S3Request, timeoutMs: number, mostBytes: number): Promise<HttpReply> {
    const reply = await once(request, timeoutMs, mostBytes);
    if (reply.kind === "failed" || reply.status !== 503) return reply;
    await pause(pauseMs);
    return once(request, timeoutMs, mostBytes);
  }

  return {
    async get(kind, name, mostBytes): Promise<BytesReply> {
      const to = addressOf(url, namespace, kind, name);
      const reply = await send({ method: "GET", url: to }, limits.getMs, mostBytes);
      if (reply.kind === "failed") return reply;
      const { status, bytes } = reply;
      if (status === 200) return { kind: "ok", bytes };
      const code = codeOf(bytes);
      if (status === 404 && code !== "NoSuchBucket") return { kind: "missing" };
      if (status === 403 && code === "AccessDenied" && keys !== null) return { kind: "missing", note: unlisted };
      if (status === 401 || status === 403) return { kind: "denied", why: denialOf(keys, status, code, "read") };
      return { kind: "failed", why: `it answers ${statusText(status, code)}` };
    },

    async put(kind, name, bytes, { createOnce }): Promise<PutReply> {
      const headers = {
        "content-type": kind === "ac" ? "application/json" : "application/octet-stream",
        ...(createOnce && { "if-none-match": "*" }),
      };
      const request = { method: "PUT", url: addressOf(url, namespace, kind, name), headers, body: bytes } as const;
      let reply = await send(request, limits.putMs, 100_000);
      for (let time = 0; time < mostConflicts && reply.kind === "answer" && reply.status === 409; time++) {
        await pause(pauseMs);
        reply = await send(request, limits.putMs, 100_000);
      }
      if (reply.kind === "failed") return reply;
      const { status } = reply;
      if (status >= 200 && status < 300) return { kind: "stored" };
      if (status === 412) return { kind: "exists" };
      const code = codeOf(reply.bytes);
      if (status === 401 || status === 403) return { kind: "denied", why: denialOf(keys, status, code, "written") };
      return { kind: "failed", why: `it answers ${statusText(status, code)}` };
    },
  };
}
