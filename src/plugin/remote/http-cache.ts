// Bazel's HTTP cache protocol: GET and PUT of `<url>/ac/<key>` and `<url>/cas/<sha256>`. bazel-remote speaks it, and so does every web
// server that keeps files: nginx and Apache by WebDAV.

import { type HttpReply, sendHttp } from "../../native/network/http.ts";
import { denialText, type RemoteAccess } from "../options/credentials.ts";
import { addressOf, type BytesReply, type PutReply, type Transport, type TransportLimits } from "./transport.ts";

export interface HttpCacheOptions {
  readonly url: string;
  readonly namespace: string | null;
  readonly access: RemoteAccess;
  readonly limits: TransportLimits;
}

const isDenied = (status: number): boolean => status === 401 || status === 403;

export function httpCache({ url, namespace, access, limits }: HttpCacheOptions): Transport {
  const secrets = access.authorization === null ? {} : { authorization: access.authorization };
  const { signal } = limits;

  const write = (
    method: "PUT" | "MKCOL",
    to: string,
    body?: Uint8Array<ArrayBuffer>,
    headers = {},
  ): Promise<HttpReply> =>
    sendHttp(
      { method, url: to, headers, secrets, ...(body && { body }) },
      { timeoutMs: limits.putMs, mostBytes: 100_000, signal },
    );

  /** Makes the folders of a file below the store's own, the outer first; those that are there answer 405. */
  async function makeFolders(file: string): Promise<void> {
    const names = file
      .slice(url.length + 1)
      .split("/")
      .slice(0, -1);
    for (const at of names.keys()) await write("MKCOL", `${[url, ...names.slice(0, at + 1)].join("/")}/`);
  }

  return {
    async get(kind, name, mostBytes): Promise<BytesReply> {
      // bazel-remote gives an entry as JSON to those who ask for it.
      const headers = kind === "ac" ? { accept: "application/json" } : {};
      const reply = await sendHttp(
        { method: "GET", url: addressOf(url, namespace, kind, name), headers, secrets },
        { timeoutMs: limits.getMs, mostBytes, signal },
      );
      if (reply.kind === "failed") return reply;
      const { status, bytes } = reply;
      if (status >= 200 && status < 300) return { kind: "ok", bytes };
      if (status === 404 || status === 410) return { kind: "missing" };
      if (isDenied(status)) return { kind: "denied", why: denialText(access, status, "read") };
      return { kind: "failed", why: `it answers ${status}` };
    },

    async put(kind, name, bytes, { createOnce }): Promise<PutReply> {
      const to = addressOf(url, namespace, kind, name);
      const headers = {
        "content-type": kind === "ac" ? "application/json" : "application/octet-stream",
        ...(createOnce && { "if-none-match": "*" }),
      };
      let reply = await write("PUT", to, bytes, headers);
      // Apache makes no folders.
      if (reply.kind === "answer" && reply.status === 409) {
        await makeFolders(to);
        reply = await write("PUT", to, bytes, headers);
      }
      if (reply.kind === "failed") return reply;
      const { status } = reply;
      if (status >= 200 && status < 300) return { kind: "stored" };
      if (status === 412) return { kind: "exists" };
      if (isDenied(status)) return { kind: "denied", why: denialText(access, status, "written") };
      return { kind: "failed", why: `it answers ${status}` };
    },
  };
}
