// A server within the test that keeps files, whatever its protocol calls them; a test may have it misbehave, or refuse what a strict
// server would.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** In place of what the server does; returns false where it does the usual after all. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Refusal {
  readonly status: number;
  readonly body?: string;
}

/** What a strict server says to a request before it does it; null: nothing is wrong. */
export type Strictness = (request: IncomingMessage, body: Buffer, files: Map<string, Buffer>) => Refusal | null;

export interface Double {
  readonly url: string;
  readonly files: Map<string, Buffer>;
  /** "GET /ac/…", with what came in the header `authorization`. */
  readonly asked: string[];
  behave(behaviour: Behaviour | null): void;
  close(): Promise<void>;
}

export async function startDouble(strictness: Strictness = () => null): Promise<Double> {
  const files = new Map<string, Buffer>();
  const asked: string[] = [];
  let behaviour: Behaviour | null = null;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push([method, url, headers.authorization].filter((part) => part !== undefined).join(" "));
    if (behaviour && (await behaviour(request, response)) !== false) return;
    const body = await buffer(request);
    const refusal = strictness(request, body, files);
    if (refusal) return void response.writeHead(refusal.status).end(refusal.body);
    if (method === "PUT") {
      files.set(url, body);
      return void response.writeHead(200).end();
    }
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    files,
    asked,
    behave(wanted) {
      behaviour = wanted;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
