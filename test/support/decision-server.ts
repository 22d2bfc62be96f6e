// A server of files by GET and PUT on localhost, as a shared store has one; it can be told to misbehave.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Instead of what a server of files does. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export interface DecisionServer {
  readonly url: string;
  /** By path: "/ac/…". */
  readonly files: Map<string, string>;
  /** "GET /ac/…", with what came in the header `authorization`. */
  readonly asked: string[];
  behave(behaviour: Behaviour | null): void;
  close(): Promise<void>;
}

export async function startDecisionServer(): Promise<DecisionServer> {
  const files = new Map<string, string>();
  const asked: string[] = [];
  let behaviour: Behaviour | null = null;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push([method, url, headers.authorization].filter((part) => part !== undefined).join(" "));
    if (behaviour) return behaviour(request, response);
    if (method === "PUT") {
      let body = "";
      for await (const part of request) body += part;
      files.set(url, body);
      return response.writeHead(201).end();
    }
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/store/`,
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
