// Options that say where the page of a command is served, without what reads them.

import type { CommandOption } from "./flags.ts";

export const addressOptions: readonly CommandOption[] = [
  { flags: "--port <number>", description: "of the page (default: one that is free)" },
  { flags: "--host <address>", description: "where the page can be reached (default: this machine alone)" },
  { flags: "--cert <file>", description: "certificate of the page, in PEM: it is served over https" },
  { flags: "--key <file>", description: "private key of --cert, in PEM" },
];
