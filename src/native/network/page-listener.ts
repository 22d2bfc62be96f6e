// Answers requests for one page and what it loads and sends, files from memory. Requests from pages of other sites are refused, under every name
// that leads to the server.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array | string;
}

export interface Post<Answer = unknown> {
  readonly mostBytes: number;
  /** Returns the answer, which is sent as JSON, at once or later. Throws a `BadBody` where it cannot read the body. */
  answer(body: Uint8Array): Answer | Promise<Answer>;
  /** Called when the answer has been sent. */
  answered?(answer: Answer): void;
}

/** Error for a body that the page should not have sent. */
export class BadBody extends Error {}

export interface PageSite {
  /** Files by path: "/page.js". */
  readonly files: ReadonlyMap<string, PageFile>;
  readonly posts: ReadonlyMap<string, Post>;
}

/** Content security policy: nothing from elsewhere runs or is asked, but WASM may be compiled, and workers come from a blob. */
const policyFor = ({ isFramed = false }: Access): string =>
  [...policy, `frame-ancestors ${isFramed ? "'self'" : "'none'"}`].join("; ");

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
];

const headers = {
  // Memory is shared between threads only where these two stand.
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

const localNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Says whether the host header names this machine. A site whose name is made to point here would otherwise have the page as its own. */
function isLocalName(host: string): boolean {
  try {
    return localNames.includes(new URL(`http://${host}`).hostname);
  } catch {
    return false;
  }
}

function send(response: ServerResponse, status: number, { type, body }: PageFile, sent = (): void => {}): void {
  response.writeHead(status, { ...headers, "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
  response.end(body, sent);
}

const refuse = (response: ServerResponse, status: number, why: string): void =>
  send(response, status, { type: "text/plain; charset=utf-8", body: `${why}\n` });

/** Reads the body of a request; null: it has more than `mostBytes`. */
async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<Uint8Array | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function answerPost(
  request: IncomingMessage,
  response: ServerResponse,
  post: Post,
  { scheme }: Access,
): Promise<void> {
  if (request.headers.origin !== `${scheme}://${request.headers.host}`)
    return refuse(response, 403, "not from this page");
  const body = await bodyOf(request, post.mostBytes);
  if (body === null) return refuse(response, 413, `more than ${post.mostBytes} bytes`);
  try {
    const answer = await post.answer(body);
    const json = { type: "application/json", body: JSON.stringify(answer) };
    send(response, 200, json, () => post.answered?.(answer));
  } catch (error) {
    if (!(error instanceof BadBody)) throw error;
    refuse(response, 400, error.message);
  }
}

export interface Access {
  readonly scheme: "http" | "https";
  /** Whether the page is there under any name. */
  readonly isOpen: boolean;
  /** Whether the page may stand in a frame of its own site; default: no. */
  readonly isFramed?: boolean;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  site: PageSite,
  access: Access,
): Promise<void> {
  const { method, url = "/", headers } = request;
  if (!access.isOpen && !isLocalName(headers.host ?? ""))
    return refuse(response, 403, "this page is for this machine alone");
  const [path = "/"] = url.split("?");
  const file = site.files.get(path);
  const post = site.posts.get(path);
  if (method === "GET" && file) return send(response, 200, file);
  if (method === "POST" && post) return answerPost(request, response, post, access);
  refuse(response, file || post ? 405 : 404, file || post ? "not in this way" : "nothing is here");
}

export const pageListener =
  (site: PageSite, access: Access): RequestListener =>
  (request, response) => {
    response.setHeader("Content-Security-Policy", policyFor(access));
    // The visitor has gone, or what was sent is broken: the page says so, and others go on.
    answer(request, response, site, access).catch(() => response.destroy());
  };
