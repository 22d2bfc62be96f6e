// Flags of a command's page: where it is served, and when the command ends.

import { type Certificate, readCertificate } from "./certificate.ts";
import { badArgument, type Flags } from "./flags.ts";

/** Flags that only a page takes. */
const pageFlags = ["port", "host", "cert", "key", "once"] as const;

/** @throws DiagnosticError `command.bad-argument` */
export function checkPageFlags(flags: Flags): void {
  const { browser, port = 0 } = flags;
  const alone = pageFlags.find((name) => flags[name] !== undefined && !browser);
  if (alone) throw badArgument(`--${alone} is for a page`, `--browser --${alone}`);
  if ((flags.cert === undefined) !== (flags.key === undefined))
    throw badArgument(`--${flags.cert === undefined ? "key" : "cert"} is given alone`, "--cert <file> --key <file>");
  const isPort = Number.isInteger(Number(port)) && Number(port) >= 0 && Number(port) <= 65_535;
  if (!isPort) throw badArgument(`--port is "${port}"`, "a whole number from 0 to 65535");
}

export interface PageFlags {
  readonly port: number;
  /** Null: this machine alone. */
  readonly host: string | null;
  /** Null: the page is served over plain http. */
  readonly certificate: Certificate | null;
  readonly once: boolean;
}

/** @throws DiagnosticError `command.bad-argument` */
export const pageOf = ({ port = 0, host, cert, key, once }: Flags): PageFlags => ({
  port: Number(port),
  host: host === undefined ? null : String(host),
  certificate: cert === undefined ? null : readCertificate(String(cert), String(key)),
  once: once === true,
});
