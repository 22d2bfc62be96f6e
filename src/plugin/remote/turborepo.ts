// Turborepo's API of artifacts: GET and PUT of `<url>/v8/artifacts/<hash>`. A hash stands for the namespace, the kind and the name of a
// file. The protocol cannot create once: callers look first. Nothing is read from headers, as servers lose them.

import { createHash } from "node:crypto";
import { sendHttp } from "../../native/network/http.ts";
import { denialText, type RemoteAccess } from "../options/credentials.ts";
import type { BytesReply, FileKind, PutReply, Transport, TransportLimits } from "./transport.ts";

export interface TurborepoOptions {
  readonly url: string;
  readonly namespace: string | null;
  readonly access: RemoteAccess;
  /** Query that names the team. */
  readonly team: string;
  readonly limits: TransportLimits;
}

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data);

export function turborepoCache({ url, namespace, access, team, limits }: TurborepoOptions): Transport {
  const secrets = access.authorization === null ? {} : { authorization: access.authorization };
  const { signal } = limits;
  const addressOf = (kind: FileKind, name: string): string => {
    const hash = sha256(["unplugin-kernel", namespace ?? "", kind, name].join("\n")).digest("hex");
    return `${url}/v8/artifacts/${hash}${team === "" ? "" : `?${team}`}`;
  };
  /** Without a token some servers answer 400. */
  const isDenied = (status: number): boolean =>
    status === 401 || status === 403 || (status === 400 && access.authorization === null);

  return {
    async get(kind, name, mostBytes): Promise<BytesReply> {
      const reply = await sendHttp(
        { method: "GET", url: addressOf(kind, name), secrets },
        { timeoutMs: limits.getMs, mostBytes, signal },
      );
      if (reply.kind === "failed") return reply;
      const { status, bytes } = reply;
      if (status === 200) return { kind: "ok", bytes };
      if (status === 404) return { kind: "missing" };
      if (isDenied(status)) return { kind: "denied", why: denialText(access, status, "read") };
      return { kind: "failed", why: `it answers ${status}` };
    },

    async put(kind, name, bytes): Promise<PutReply> {
      const headers = {
        "content-type": "application/octet-stream",
        // A server with a key for signatures gives out no artifact that came without a tag. Nobody trusts it.
        "x-artifact-tag": sha256(bytes).digest("base64"),
        "x-artifact-duration": "0",
      };
      const reply = await sendHttp(
        { method: "PUT", url: addressOf(kind, name), headers, secrets, body: bytes },
        { timeoutMs: limits.putMs, mostBytes: 100_000, signal },
      );
      if (reply.kind === "failed") return reply;
      const { status } = reply;
      if (status >= 200 && status < 300) return { kind: "stored" };
      if (status === 409) return { kind: "exists" };
      if (isDenied(status)) return { kind: "denied", why: denialText(access, status, "written") };
      return { kind: "failed", why: `it answers ${status}` };
    },
  };
}
