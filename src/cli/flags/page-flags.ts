// Flags of a command's page: where it is served, and when the command ends.

import { badArgument, type Flags } from "./flags.ts";

/** Flags that only a page takes. */
const pageFlags = ["port", "host", "once"] as const;

/** @throws DiagnosticError `command.bad-argument` */
export function checkPageFlags(flags: Flags): void {
  const { browser, port = 0 } = flags;
  const alone = pageFlags.find((name) => flags[name] !== undefined && !browser);
  if (alone) throw badArgument(`--${alone} is for a page`, `--browser --${alone}`);
  const isPort = Number.isInteger(Number(port)) && Number(port) >= 0 && Number(port) <= 65_535;
  if (!isPort) throw badArgument(`--port is "${port}"`, "a whole number from 0 to 65535");
}

export interface PageFlags {
  readonly port: number;
  /** Null: this machine alone. */
  readonly host: string | null;
  readonly once: boolean;
}

export const pageOf = ({ port = 0, host, once }: Flags): PageFlags => ({
  port: Number(port),
  host: host === undefined ? null : String(host),
  once: once === true,
});
