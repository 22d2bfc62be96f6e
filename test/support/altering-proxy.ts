// A server before another one that answers for it, but for files that a test replaces on their way: no engine's driver has to be able to.

import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { PageServer } from "./browser.ts";

/** By paths: the text of the file → another one; null: the file is not there. */
export type Alterations = Readonly<Record<string, ((text: string) => string) | null>>;

/** Asks the server as its own page would. */
async function ask(url: string, asked: IncomingMessage): Promise<IncomingMessage> {
  const { origin, host } = new URL(url);
  const body = await buffer(asked);
  return new Promise((resolve, reject) => {
    const { method } = asked;
    const headers = { host, origin, "content-length": body.length };
    request(new URL(asked.url!, url), { method, headers }, resolve).on("error", reject).end(body);
  });
}

/** @param url the server that is asked */
export async function alteringProxy(url: string, alterations: Alterations): Promise<PageServer> {
  const proxy = createServer((asked, response) => {
    const alter = alterations[asked.url!];
    if (alter === null) return void response.writeHead(404).end();
    const forward = async (): Promise<void> => {
      const answer = await ask(url, asked);
      const body = await buffer(answer);
      const { "content-length": _, ...headers } = answer.headers;
      response.writeHead(answer.statusCode!, headers);
      response.end(alter ? alter(body.toString("utf8")) : body);
    };
    // The server has ended, as a command does after its only visit.
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((listening) => proxy.listen(0, "localhost", listening));
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((closed) => {
        proxy.close(() => closed());
        proxy.closeAllConnections();
      }),
  };
}
