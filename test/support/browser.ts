// Debian's Chromium without a window, and a server on localhost for the pages of tests.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { recorderPath, recorderText, withRecorder } from "./engine/recorder.ts";

const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Why no page can be tested here; null if one can. */
export const noBrowser: string | null = existsSync(executable) ? null : `no ${executable}: apt-get install chromium`;

/** Starts a Chromium that asks for nothing outside this machine. Close it when done. */
export const launchBrowser = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: executable,
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      ...more,
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

/** Answer to a path: a file of the folder, or the recorder, which each page loads first. Null: nothing is there. */
function answerOf(folder: string, path: string): Buffer | string | null {
  if (path === recorderPath) return recorderText;
  const file = join(folder, normalize(path));
  if (!existsSync(file)) return null;
  return extname(file) === ".html" ? withRecorder(readFileSync(file, "utf8")) : readFileSync(file);
}

/**
 * Serves the files of a folder on localhost. Its pages run the recorder of engine/recorder.ts first.
 *
 * @param headers sent with every answer, or by the path that is asked for; null: that file is not there
 */
export async function serveFolder(
  folder: string,
  headers: Headers | ((path: string) => Headers | null) = {},
): Promise<PageServer> {
  const headersOf = typeof headers === "function" ? headers : () => headers;
  const server = createServer(({ url = "/" }, response) => {
    const asked = decodeURIComponent(url.split("?")[0]!);
    const path = asked.endsWith("/") ? `${asked}index.html` : asked;
    const [sent, body] = [headersOf(asked), answerOf(folder, path)];
    if (sent === null || body === null) return void response.writeHead(404).end();
    response.writeHead(200, { ...sent, "Content-Type": contentTypes[extname(path)] ?? "application/octet-stream" });
    response.end(body);
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
