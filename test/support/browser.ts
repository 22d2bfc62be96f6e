// Debian's Chromium without a window, and a server on localhost for the pages of tests.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { type Browser, chromium } from "playwright-core";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Why no page can be tested here; null if one can. */
export const noBrowser: string | null = existsSync(executable) ? null : `no ${executable}: apt-get install chromium`;

/** It asks for nothing outside this machine. Close it when done. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executable,
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });

export interface PageServer {
  /** "http://localhost:1234/", a secure context. */
  readonly url: string;
  close(): Promise<void>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** Headers with which a page is cross-origin isolated: it may share memory between threads. */
export const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
} as const;

export type Headers = Readonly<Record<string, string>>;

/**
 * Serves the files of a folder on localhost.
 *
 * @param headers sent with every answer, or by the path that is asked for
 */
export async function serveFolder(
  folder: string,
  headers: Headers | ((path: string) => Headers) = {},
): Promise<PageServer> {
  const headersOf = typeof headers === "function" ? headers : () => headers;
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(url.split("?")[0]!);
    const file = join(folder, normalize(path.endsWith("/") ? `${path}index.html` : path));
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, {
      ...headersOf(path),
      "Content-Type": contentTypes[extname(file)] ?? "application/octet-stream",
    });
    response.end(readFileSync(file));
  });
  await new Promise<void>((listening) => server.listen(0, "localhost", listening));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
