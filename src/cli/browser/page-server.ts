// A server for one page of a command; default: on this machine alone.

import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { DiagnosticError } from "../../compiler/index.ts";
import { type PageSite, pageListener } from "../../native/network/page-listener.ts";
import type { Certificate } from "../flags/certificate.ts";
import { addressOf } from "./page-address.ts";

export interface PageServer {
  /** Address that people open: "http://localhost:1234/". */
  readonly url: string;
  close(): Promise<void>;
}

export interface ServerAddress {
  /** Port to listen at; 0: one that is free. */
  readonly port: number;
  /** Host name to listen at; null: this machine alone. */
  readonly host: string | null;
  /** Certificate by which the page is served over https; null: over http. */
  readonly certificate: Certificate | null;
}

/** @throws DiagnosticError `bench.cannot-serve` */
export async function servePage(site: PageSite, { port, host, certificate }: ServerAddress): Promise<PageServer> {
  const listener = pageListener(site, { scheme: certificate ? "https" : "http", isOpen: host !== null });
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  const name = host ?? "localhost";
  await new Promise<void>((listening, reject) => {
    server.once("error", (error) => reject(cannotServe(name, port, error)));
    server.listen(port, name, listening);
  });
  return {
    url: addressOf(host, (server.address() as { port: number }).port, certificate),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const cannotServe = (host: string, port: number, error: Error): DiagnosticError =>
  new DiagnosticError({
    code: "bench.cannot-serve",
    message: `no page can be served on ${host}, port ${port}: ${error.message}`,
    loc: null,
    hint: "leave --port out for a port that is free; --host is an address of this machine",
    detail: null,
  });
