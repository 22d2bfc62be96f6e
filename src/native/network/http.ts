// Small files by HTTP, for the rooms that may not touch the network: with deadlines, a limit to what is read, redirects that keep
// secrets at home, and failures as values.

export interface HttpRequest {
  readonly method: "GET" | "PUT" | "MKCOL";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for the origin of `url` alone: a redirect elsewhere goes without them. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Whether a GET goes where the server says; default: yes. What is written is never sent elsewhere. */
  readonly follow?: boolean;
}

export interface HttpLimits {
  /** Time for the whole request, in milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes of an answer, once it is unpacked. */
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type HttpReply =
  | { readonly kind: "answer"; readonly status: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "failed"; readonly why: string };

const mostRedirects = 5;
/** Most characters of an address that is followed. Common servers refuse longer ones, and Node parses one of a megabyte for seconds. */
const mostAddress = 8192;
/** Most bytes that are read of an answer that says what went wrong. */
const mostErrorBytes = 4096;

/**
 * Runs `work` under a deadline. It avoids `AbortSignal.any`, which Node collects while a body is read: a hanging request
 * would never end.
 */
async function withinTime<T>({ timeoutMs, signal }: HttpLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`timeout after ${timeoutMs} ms`)), timeoutMs);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Returns the cause's message where there is one: fetch's own message says only that it failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}

export async function sendHttp(request: HttpRequest, limits: HttpLimits): Promise<HttpReply> {
  try {
    return await withinTime(limits, (signal) => sendWithin(request, limits.mostBytes, signal));
  } catch (error) {
    return { kind: "failed", why: reasonOf(error) };
  }
}

async function sendWithin(request: HttpRequest, mostBytes: number, signal: AbortSignal): Promise<HttpReply> {
  const { method, headers, secrets, body = null, follow = true } = request;
  const { origin } = new URL(request.url);
  let url = request.url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const isHome = new URL(url).origin === origin;
    const sent = { ...headers, ...(isHome ? secrets : {}) };
    const response = await fetch(url, { method, headers: sent, body, signal, redirect: "manual" });
    const location = response.headers.get("location");
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== null;
    if (!isRedirect || !follow || method !== "GET") return answerOf(response, mostBytes);
    await response.body?.cancel();
    const next = redirected(location, url);
    if (typeof next !== "string") return next;
    url = next;
  }
  return { kind: "failed", why: `it redirects more than ${mostRedirects} times` };
}

/** Returns the address of a redirect, or why it is not followed. */
function redirected(location: string, from: string): string | Extract<HttpReply, { kind: "failed" }> {
  if (location.length > mostAddress)
    return { kind: "failed", why: `it redirects to an address of more than ${mostAddress} characters` };
  if (!URL.canParse(location, from)) return { kind: "failed", why: "it redirects to what is no URL" };
  const next = new URL(location, from);
  if (next.protocol !== "http:" && next.protocol !== "https:") {
    return { kind: "failed", why: `it redirects to ${next.protocol}, which is not followed` };
  }
  if (next.username || next.password) return { kind: "failed", why: "it redirects to a URL with a user in it" };
  return next.href;
}

async function answerOf(response: Response, mostBytes: number): Promise<HttpReply> {
  const { status, ok, headers } = response;
  const tooMuch = { kind: "failed", why: `it answers with more than ${mostBytes} bytes` } as const;
  if (ok && Number(headers.get("content-length")) > mostBytes) {
    await response.body?.cancel();
    return tooMuch;
  }
  const bytes = await bytesOf(response, ok ? mostBytes : mostErrorBytes);
  if (bytes === null && ok) return tooMuch;
  return { kind: "answer", status, bytes: bytes ?? new Uint8Array() };
}

/** Reads a body; null: it is longer than that. */
async function bytesOf({ body }: Response, mostBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Uint8Array.from(Buffer.concat(parts));
}

/** Waits before a request is sent again. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
