// A store that others share: an entry for each key, which names a decision, as `cache export` writes it, and perhaps other files by their
// digests. Answers are not trusted: digests are compared here, and callers rebuild each kernel and check its results.

import { parseExchange, printExchange, type SharedDecision } from "../../tuner/store/exchange.ts";
import { type Digest, digestOf, type EntryFiles, parseActionResult, printActionResult } from "./action-result.ts";
import { openTransport } from "./open-transport.ts";
import type { ResolvedRemote } from "./remote-options.ts";
import type { FileKind, PutReply, Transport, TransportLimits } from "./transport.ts";

export type RemoteAnswer =
  | { readonly kind: "found"; readonly decision: SharedDecision; readonly files: EntryFiles }
  /** `note`: said of the server once, null otherwise. */
  | { readonly kind: "missing"; readonly note: string | null }
  | RemoteFailure;

export type RemoteFailure =
  /** The server refuses, which is said once: then the store is off. */
  | { readonly kind: "denied"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string }
  /** The store is not asked any more; why has been said. */
  | { readonly kind: "off" };

export type BlobAnswer = { readonly kind: "ok"; readonly bytes: Uint8Array<ArrayBuffer> } | RemoteFailure;

export type RemotePut = { readonly kind: "stored" } | { readonly kind: "exists" } | RemoteFailure;

export interface RemoteStore {
  get(key: string): Promise<RemoteAnswer>;
  /** A file of an entry, whose bytes are those of its digest. */
  blob(digest: Digest, mostBytes: number): Promise<BlobAnswer>;
  /**
   * Stores a decision, and other files of its entry by their paths. An entry that is there is left as it is.
   */
  put(decision: SharedDecision, files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<RemotePut>;
  /** Whether the store has failed so often, or refuses so, that it is not asked any more. */
  isOff(): boolean;
}

const decisionPath = "decision.jsonl";
const mostEntryBytes = 65_536;
const mostDecisionBytes = 100_000;
/** Most failures in a row. A build that waits for a server that is away waits for each of its kernels. */
const mostFailures = 3;

const off: RemoteFailure = { kind: "off" };
const failed = (why: string): RemoteFailure => ({ kind: "failed", why });

export function openRemote(
  remote: ResolvedRemote,
  limits: Partial<TransportLimits> = {},
  transport: Promise<Transport> = openTransport(remote, limits),
): RemoteStore {
  let failures = 0;
  let isReadable = true;
  let isWritable = true;
  const notes = new Set<string>();
  const isBroken = (): boolean => failures >= mostFailures;
  const isOff = (): boolean => isBroken() || !isReadable;

  function failure(why: string): RemoteFailure {
    failures += 1;
    return failed(isBroken() ? `${why}; it has failed ${mostFailures} times and is not asked again` : why);
  }

  /** Says a note the first time alone. */
  function news(note: string | undefined): string | null {
    if (note === undefined || notes.has(note)) return null;
    notes.add(note);
    return note;
  }

  type Read =
    | { readonly kind: "ok"; readonly bytes: Uint8Array<ArrayBuffer> }
    | Extract<RemoteAnswer, { kind: "missing" }>
    | RemoteFailure;

  async function read(kind: FileKind, name: string, mostBytes: number): Promise<Read> {
    if (isOff()) return off;
    const reply = await (await transport).get(kind, name, mostBytes);
    if (reply.kind === "failed") return failure(reply.why);
    failures = 0;
    if (reply.kind === "missing") return { kind: "missing", note: news(reply.note) };
    if (reply.kind !== "denied") return reply;
    // Kernels ask at the same time: the first denial speaks for all.
    if (!isReadable) return off;
    isReadable = false;
    return reply;
  }

  function written(reply: PutReply): RemotePut {
    if (reply.kind === "failed") return failure(reply.why);
    failures = 0;
    if (reply.kind !== "denied") return reply;
    if (!isWritable) return off;
    isWritable = false;
    return reply;
  }

  async function write(...args: Parameters<Transport["put"]>): Promise<RemotePut> {
    return isWritable && !isOff() ? written(await (await transport).put(...args)) : off;
  }

  async function blob(digest: Digest, mostBytes: number): Promise<BlobAnswer> {
    const most = `a file of its entry has ${digest.bytes} bytes, more than ${mostBytes}`;
    if (digest.bytes > mostBytes) return failed(most);
    const reply = await read("cas", digest.hash, mostBytes);
    if (reply.kind === "missing") return failed("a file that its entry names is not there");
    if (reply.kind !== "ok") return reply;
    const { hash, bytes } = digestOf(reply.bytes);
    const isRight = hash === digest.hash && bytes === digest.bytes;
    return isRight ? reply : failed("a file of its entry has another digest than the entry says");
  }

  return {
    isOff,
    blob,
    async get(key) {
      const entry = await read("ac", key, mostEntryBytes);
      if (entry.kind !== "ok") return entry;
      const files = parseActionResult(Buffer.from(entry.bytes).toString("utf8"));
      const digest = files?.get(decisionPath);
      if (!files || !digest) return failed(`its entry is no ActionResult with a file ${decisionPath}`);
      const answer = await blob(digest, mostDecisionBytes);
      return answer.kind === "ok" ? decisionIn(answer.bytes, key, files) : answer;
    },
    async put(decision, others = new Map()) {
      const { key } = decision;
      if (!isWritable) return off;
      // Not every server creates once: it is asked first.
      const before = await read("ac", key, mostEntryBytes);
      if (before.kind === "ok") return { kind: "exists" };
      if (before.kind !== "missing") return before;
      const text = new Uint8Array(Buffer.from(printExchange([decision]), "utf8"));
      const files = new Map<string, Digest>();
      // The entry comes last: whoever finds it finds all that it names.
      for (const [path, bytes] of [[decisionPath, text] as const, ...others]) {
        const digest = digestOf(bytes);
        files.set(path, digest);
        const reply = await write("cas", digest.hash, bytes, { createOnce: false });
        if (reply.kind !== "stored" && reply.kind !== "exists") return reply;
      }
      return write("ac", key, new Uint8Array(Buffer.from(printActionResult(files))), { createOnce: true });
    },
  };
}

function decisionIn(bytes: Uint8Array, key: string, files: EntryFiles): RemoteAnswer {
  const parsed = parseExchange(Buffer.from(bytes).toString("utf8"));
  if (parsed.kind === "wrong") {
    const { line, why } = parsed.problems[0]!;
    return failed(`line ${line} of what it answers: ${why}`);
  }
  const [decision, ...others] = parsed.decisions;
  if (decision?.key !== key || others.length > 0) return failed("it answers with another decision");
  return { kind: "found", decision, files };
}
