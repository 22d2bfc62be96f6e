// Small texts by HTTP, for the rooms that may not touch the network: with deadlines, a limit to what is read, and failures as values.

export interface HttpOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Time for the whole request, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type TextReply =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly why: string };

/**
 * Runs `work` under a deadline. It avoids `AbortSignal.any`, which Node collects while a body is read: a hanging request
 * would never end.
 */
async function withinTime<T>(
  { timeoutMs, signal }: HttpOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
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

/** @param mostBytes more are not read */
export async function getText(url: string, mostBytes: number, options: HttpOptions): Promise<TextReply> {
  try {
    return await withinTime(options, async (signal): Promise<TextReply> => {
      const response = await fetch(url, { headers: options.headers, signal });
      if (response.ok) return textOf(response, mostBytes);
      await response.body?.cancel();
      return response.status === 404 ? { kind: "missing" } : { kind: "failed", why: `it answers ${response.status}` };
    });
  } catch (error) {
    return { kind: "failed", why: reasonOf(error) };
  }
}

async function textOf({ body }: Response, mostBytes: number): Promise<TextReply> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > mostBytes) return { kind: "failed", why: `it answers with more than ${mostBytes} bytes` };
    parts.push(part);
  }
  return { kind: "ok", text: Buffer.concat(parts).toString("utf8") };
}

/** Stores a text under `url`. Returns why that failed, or null when it is stored. */
export async function putText(url: string, text: string, options: HttpOptions): Promise<string | null> {
  try {
    const { headers } = options;
    return await withinTime(options, async (signal) => {
      const response = await fetch(url, { method: "PUT", body: text, headers, signal });
      await response.body?.cancel();
      return response.ok ? null : `it answers ${response.status}`;
    });
  } catch (error) {
    return reasonOf(error);
  }
}
