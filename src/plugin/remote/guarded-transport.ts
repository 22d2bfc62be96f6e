// A transport that knows when to stop: after failures in a row, and after a refusal, which it tells once.

import type { FileKind, PutReply, Transport } from "./transport.ts";

export type RemoteFailure =
  /** The server refuses, which is said once: then the store is off. */
  | { readonly kind: "denied"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string }
  /** The store is not asked any more; why has been said. */
  | { readonly kind: "off" };

/** `note`: said of the server once, null otherwise. */
export type RemoteMiss = { readonly kind: "missing"; readonly note: string | null };
export type RemoteFile = { readonly kind: "ok"; readonly bytes: Uint8Array<ArrayBuffer> };
export type RemotePut = { readonly kind: "stored" } | { readonly kind: "exists" } | RemoteFailure;

export interface GuardedTransport {
  read(kind: FileKind, name: string, mostBytes: number): Promise<RemoteFile | RemoteMiss | RemoteFailure>;
  write(...args: Parameters<Transport["put"]>): Promise<RemotePut>;
  /** Whether nothing is read any more. */
  isOff(): boolean;
  /** Whether writes are still tried. */
  isWritable(): boolean;
}

/** Most failures in a row. A build that waits for a server that is away waits for each of its kernels. */
const mostFailures = 3;

const off: RemoteFailure = { kind: "off" };

export function guarded(transport: Promise<Transport>): GuardedTransport {
  let failures = 0;
  const refuses = { read: false, write: false };
  const notes = new Set<string>();
  const isBroken = (): boolean => failures >= mostFailures;
  const isOff = (): boolean => isBroken() || refuses.read;
  const isWritable = (): boolean => !isOff() && !refuses.write;

  /** Counts what came of a request. Kernels ask at the same time: the first denial speaks for all. */
  function counted<T extends { readonly kind: string }>(
    reply: T | RemoteFailure,
    doing: "read" | "write",
  ): T | RemoteFailure {
    if (reply.kind !== "failed") failures = 0;
    if (reply.kind === "denied") {
      if (refuses[doing]) return off;
      refuses[doing] = true;
    }
    if (reply.kind !== "failed" || !("why" in reply)) return reply;
    failures += 1;
    const last = `; it has failed ${mostFailures} times and is not asked again`;
    return { kind: "failed", why: isBroken() ? reply.why + last : reply.why };
  }

  /** Says a note the first time alone. */
  function news(note: string | undefined): string | null {
    if (note === undefined || notes.has(note)) return null;
    notes.add(note);
    return note;
  }

  return {
    isOff,
    isWritable,
    async read(kind, name, mostBytes) {
      if (isOff()) return off;
      const reply = await (await transport).get(kind, name, mostBytes);
      const missing = (note: string | undefined): RemoteMiss => ({ kind: "missing", note: news(note) });
      return counted(reply.kind === "missing" ? missing(reply.note) : reply, "read");
    },
    async write(...args) {
      return isWritable() ? counted<PutReply>(await (await transport).put(...args), "write") : off;
    },
  };
}
