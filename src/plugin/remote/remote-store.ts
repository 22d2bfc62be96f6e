// A store that others share, by plain HTTP: GET and PUT of `<url>/ac/<key>`, each a file of one decision as `cache export` writes it.
// Answers are not trusted: callers rebuild each kernel and check its results.

import { getText, putText } from "../../native/http.ts";
import { parseExchange, printExchange, type SharedDecision } from "../../tuner/store/exchange.ts";

export type RemoteAnswer =
  | { readonly kind: "found"; readonly decision: SharedDecision }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly why: string };

export interface RemoteStore {
  get(key: string): Promise<RemoteAnswer>;
  /** Stores a decision; returns why that failed, or null. */
  put(decision: SharedDecision): Promise<string | null>;
  /** Whether the store has failed so often that it is not asked any more. */
  isOff(): boolean;
}

export interface RemoteOptions {
  /** Token, sent as `Authorization: Bearer …`; null: none is sent. */
  readonly token: string | null;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

const mostBytes = 100_000;
/** Most failures in a row. A build that waits for a server that is away waits for each of its kernels. */
const mostFailures = 3;

export function openRemote(url: string, { token, signal, timeoutMs = 10_000 }: RemoteOptions): RemoteStore {
  let failures = 0;
  const request = { headers: token === null ? {} : { authorization: `Bearer ${token}` }, timeoutMs, signal };
  const urlOf = (key: string): string => `${url.replace(/\/+$/, "")}/ac/${key}`;
  const isOff = (): boolean => failures >= mostFailures;

  function failed(why: string): string {
    failures += 1;
    return isOff() ? `${why}; it has failed ${mostFailures} times and is not asked again` : why;
  }

  return {
    isOff,
    async get(key) {
      const reply = await getText(urlOf(key), mostBytes, request);
      if (reply.kind === "failed") return { kind: "failed", why: failed(reply.why) };
      failures = 0;
      if (reply.kind === "missing") return reply;
      const parsed = parseExchange(reply.text);
      if (parsed.kind === "wrong") {
        const { line, why } = parsed.problems[0]!;
        return { kind: "failed", why: `line ${line} of what it answers: ${why}` };
      }
      const [decision, ...others] = parsed.decisions;
      if (decision?.key === key && others.length === 0) return { kind: "found", decision };
      return { kind: "failed", why: "it answers with another decision" };
    },
    async put(decision) {
      const why = await putText(urlOf(decision.key), printExchange([decision]), request);
      if (why === null) failures = 0;
      return why && failed(why);
    },
  };
}
