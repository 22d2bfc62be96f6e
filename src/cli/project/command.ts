// Type of a command of the command line: its name, its options, and its outcome as text and as JSON.

import { type DiagnosticCode, DiagnosticError } from "../../compiler/index.ts";
import type { Project } from "./project.ts";

export interface CommandOption {
  /** Flags in the syntax of cac: "--out <file>". */
  readonly flags: string;
  readonly description: string;
}

/** Values of options by name in camel case, as cac reads them. */
export type Flags = Readonly<Record<string, unknown>>;

export interface Outcome {
  readonly exitCode: number;
  /** Value that is printed with `--json`. */
  readonly json: unknown;
  /** Text that is printed otherwise, to standard output. */
  readonly text: string;
}

export interface Command {
  /** Name and arguments in the syntax of cac: "inspect <import>". */
  readonly usage: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  run(project: Project, args: readonly string[], flags: Flags): Promise<Outcome>;
}

/** Exit codes of the commands; docs/command-line.md lists them. */
export const exitCodes = {
  done: 0,
  /** Code for a check that failed (such as a stale lock), and for mistakes in the project. */
  wrong: 1,
  /** Code for a mistake in the command line itself. */
  usage: 2,
  /** `init`: a file is its owner's to edit. */
  byHand: 3,
} as const;

const badArgumentCode = "command.bad-argument";

/** Codes of mistakes in the command line itself, which has the plugin's options too: they exit with `usage`. */
export const usageCodes: readonly DiagnosticCode[] = [badArgumentCode, "options.bad-value"];

export const badArgument = (message: string, wanted: string): DiagnosticError =>
  new DiagnosticError({ code: badArgumentCode, message, loc: null, hint: `wanted: ${wanted}`, detail: null });
