// Where the page of a command is: the address that people open, and what a terminal shows beside it, a QR code for phones.

import { X509Certificate } from "node:crypto";
import { networkInterfaces } from "node:os";
import { styleText } from "node:util";
import { renderUnicodeCompact } from "uqr";
import type { Certificate } from "../flags/certificate.ts";

/** Where a page is served. */
interface ServerPlace {
  /** Null: this machine alone. */
  readonly host: string | null;
  /** Null: it is served over http. */
  readonly certificate: Certificate | null;
}

const everyAddress: readonly string[] = ["0.0.0.0", "::"];

/** Whether other machines reach what listens there. @param host null: this machine alone */
const isOpen = (host: string | null): host is string =>
  host !== null && !/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);

/** An address of this machine in its networks; null: it is in none. */
function networkAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return all.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? null;
}

/** The name by which a page is asked for, so that a browser takes the certificate: the address, else a name that the certificate is for. */
function nameFor(address: string, { cert }: Certificate): string {
  const own = new X509Certificate(cert);
  if ((/^[\d.]+$|:/.test(address) ? own.checkIP(address) : own.checkHost(address)) !== undefined) return address;
  const names = own.subjectAltName?.matchAll(/DNS:([\w.-]+)/g) ?? [];
  return [...names][0]?.[1] ?? address;
}

/** Address of a page that is served on a host: one of this machine's, where it is served on all. */
export function addressOf(host: string | null, port: number, certificate: Certificate | null): string {
  const listening = host ?? "localhost";
  const address = everyAddress.includes(listening) ? (networkAddress() ?? "localhost") : listening;
  const name = certificate && isOpen(host) ? nameFor(address, certificate) : address;
  return `${certificate ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}/`;
}

/** Part of a stream that is looked at. */
export interface Shown {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?: () => boolean;
}

/** The address as a QR code; null: nobody looks, no phone could open it, or the terminal is too narrow. */
export function qrCode(url: string, host: string | null, stream: Shown): string | null {
  if (stream.isTTY !== true || !isOpen(host)) return null;
  const lines = renderUnicodeCompact(url, { border: 2 }).split("\n");
  if ((stream.columns ?? 80) < lines[0]!.length) return null;
  // Light on dark, whatever the colours of the terminal are.
  const shown = stream.hasColors?.()
    ? lines.map((line) => styleText(["whiteBright", "bgBlack"], line, { validateStream: false }))
    : lines;
  return shown.join("\n");
}

/** Whether browsers on other machines keep from the page what they give to secure ones alone. */
const lacksSecurity = (host: string | null, certificate: Certificate | null): boolean =>
  isOpen(host) && certificate === null;

export interface Announced {
  /** Verb for the browser that opens the page: "tune". */
  readonly purpose: string;
  /** Feature that the page lacks on other machines without https. */
  readonly lacks: string;
  readonly once: boolean;
}

/** Lines that the command prints when it serves a page. */
export function announcement(
  url: string,
  { host, certificate }: ServerPlace,
  { purpose, lacks, once }: Announced,
  stream: Shown,
): string {
  const code = qrCode(url, host, stream);
  return [
    ...(code === null ? [] : [code]),
    `open ${url} in a browser to ${purpose} there${once ? "" : "; Ctrl-C ends"}`,
    ...(lacksSecurity(host, certificate)
      ? [`on other machines it has ${lacks}: browsers give that to https and localhost alone (--cert, --key)`]
      : []),
    "",
  ].join("\n");
}
