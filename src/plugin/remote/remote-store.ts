// A store that others share: an entry for each key, which names a decision, as `cache export` writes it, and perhaps other files by their
// digests. Answers are not trusted: digests are compared here, and callers rebuild each kernel and check its results.

import { parseExchange, printExchange, type SharedDecision } from "../../tuner/store/exchange.ts";
import type { ResolvedRemote } from "../options/remote-options.ts";
import { type Digest, digestOf, type EntryFiles, parseActionResult, printActionResult } from "./action-result.ts";
import { guarded, type RemoteFailure, type RemoteFile, type RemoteMiss, type RemotePut } from "./guarded-transport.ts";
import { openTransport } from "./open-transport.ts";
import type { Transport, TransportLimits } from "./transport.ts";

export type RemoteAnswer =
  | { readonly kind: "found"; readonly decision: SharedDecision; readonly files: EntryFiles }
  /** The server has answered, and what it has is no entry of the key. */
  | { readonly kind: "wrong"; readonly why: string }
  | RemoteMiss
  | RemoteFailure;

export type BlobAnswer = RemoteFile | { readonly kind: "wrong"; readonly why: string } | RemoteFailure;

export interface RemoteStore {
  /** Returns the entry of a key. */
  get(key: string): Promise<RemoteAnswer>;
  /** Returns the entry of a class of machines. */
  getOfClass(classKey: string): Promise<RemoteAnswer>;
  /** Returns a file of an entry, whose bytes are those of its digest. */
  blob(digest: Digest, mostBytes: number): Promise<BlobAnswer>;
  /**
   * Stores a decision, and other files of its entry by their paths, for its key and for its class of machines. An entry that is there is left
   * as it is.
   *
   * @returns what became of the key's entry, unless the other could not be written
   */
  put(decision: SharedDecision, files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<RemotePut>;
  /** Whether the store has failed so often, or refuses so, that it is not asked any more. */
  isOff(): boolean;
}

/** Path of an entry's decision. */
export const decisionPath = "decision.jsonl";
const mostEntryBytes = 65_536;
const mostDecisionBytes = 100_000;

const wrong = (why: string) => ({ kind: "wrong", why }) as const;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "utf8"));

/** Bytes of a decision as an entry has it. */
export const decisionBytes = (decision: SharedDecision): Uint8Array<ArrayBuffer> => bytesOf(printExchange([decision]));

/** @param transport default: the one of the store's protocol */
export function openRemote(
  remote: ResolvedRemote,
  limits: Partial<TransportLimits> = {},
  transport: Promise<Transport> = openTransport(remote, limits),
): RemoteStore {
  const { isOff, isWritable, read, write } = guarded(transport);

  async function blob(digest: Digest, mostBytes: number): Promise<BlobAnswer> {
    const { hash, bytes } = digest;
    if (bytes > mostBytes) return wrong(`a file of its entry has ${bytes} bytes, more than ${mostBytes}`);
    const reply = await read("cas", hash, mostBytes);
    if (reply.kind === "missing") return wrong("a file that its entry names is not there");
    if (reply.kind !== "ok") return reply;
    const got = digestOf(reply.bytes);
    const isRight = got.hash === hash && got.bytes === bytes;
    return isRight ? reply : wrong("a file of its entry has another digest than the entry says");
  }

  /** Classes that had no entry: each is asked for once a build. */
  const missingClasses = new Set<string>();

  async function answerOf(entry: RemoteFile, isWanted: (decision: SharedDecision) => boolean): Promise<RemoteAnswer> {
    const files = parseActionResult(Buffer.from(entry.bytes).toString("utf8"));
    const digest = files?.get(decisionPath);
    if (!files || !digest) return wrong(`its entry is no ActionResult with a file ${decisionPath}`);
    const answer = await blob(digest, mostDecisionBytes);
    return answer.kind === "ok" ? decisionIn(answer.bytes, isWanted, files) : answer;
  }

  return {
    isOff,
    blob,
    async get(key) {
      const entry = await read("ac", key, mostEntryBytes);
      return entry.kind === "ok" ? answerOf(entry, (decision) => decision.key === key) : entry;
    },
    async getOfClass(classKey) {
      if (missingClasses.has(classKey)) return { kind: "missing", note: null };
      const entry = await read("ac", classKey, mostEntryBytes);
      if (entry.kind === "missing") missingClasses.add(classKey);
      return entry.kind === "ok" ? answerOf(entry, ({ tunedFor }) => tunedFor?.class === classKey) : entry;
    },
    async put(decision, others = new Map()) {
      const { key, tunedFor } = decision;
      if (!isWritable()) return { kind: "off" };
      // Not every server creates once: it is asked first.
      const absent: string[] = [];
      for (const name of tunedFor ? [key, tunedFor.class] : [key]) {
        const before = await read("ac", name, mostEntryBytes);
        if (before.kind === "missing") absent.push(name);
        else if (before.kind !== "ok") return before;
      }
      if (absent.length === 0) return { kind: "exists" };
      const files = new Map<string, Digest>();
      // The entries come last: a client that finds one finds all that it names.
      for (const [path, bytes] of new Map([...others, [decisionPath, decisionBytes(decision)]])) {
        const digest = digestOf(bytes);
        files.set(path, digest);
        const reply = await write("cas", digest.hash, bytes, { createOnce: false });
        if (reply.kind !== "stored" && reply.kind !== "exists") return reply;
      }
      const entry = bytesOf(printActionResult(files));
      let ofKey: RemotePut = { kind: "exists" };
      for (const name of absent) {
        const reply = await write("ac", name, entry, { createOnce: true });
        missingClasses.delete(name);
        if (reply.kind !== "stored" && reply.kind !== "exists") return reply;
        if (name === key) ofKey = reply;
      }
      return ofKey;
    },
  };
}

function decisionIn(
  bytes: Uint8Array,
  isWanted: (decision: SharedDecision) => boolean,
  files: EntryFiles,
): RemoteAnswer {
  const parsed = parseExchange(Buffer.from(bytes).toString("utf8"));
  if (parsed.kind === "wrong") {
    const { line, why } = parsed.problems[0]!;
    return wrong(`line ${line} of what it answers: ${why}`);
  }
  const [decision, ...others] = parsed.decisions;
  if (!decision || !isWanted(decision) || others.length > 0) return wrong("it answers with another decision");
  return { kind: "found", decision, files };
}
