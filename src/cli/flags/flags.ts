// Options of commands, their values as cac reads them, and the error for a wrong one.

import { DiagnosticError } from "../../compiler/index.ts";

export interface CommandOption {
  /** Flags in the syntax of cac: "--out <file>". */
  readonly flags: string;
  readonly description: string;
}

/** Values of options by name in camel case, as cac reads them. */
export type Flags = Readonly<Record<string, unknown>>;

export const badArgumentCode = "command.bad-argument";

export const badArgument = (message: string, wanted: string): DiagnosticError =>
  new DiagnosticError({ code: badArgumentCode, message, loc: null, hint: `wanted: ${wanted}`, detail: null });
