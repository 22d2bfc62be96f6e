// Type of a command of the command line: its name, its options, what it does, and its outcome as text and as JSON.

import type { DiagnosticCode } from "../../compiler/index.ts";
import { badArgumentCode, type CommandOption, type Flags } from "../flags/flags.ts";
import type { Project } from "./project.ts";

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
  /** Loads the work of the command once it is asked for: most often the compiler and the tuner with it. */
  load(): Promise<{ readonly run: Run }>;
}

/** The work of a command. */
export type Run = (project: Project, args: readonly string[], flags: Flags) => Promise<Outcome>;

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

/** Codes of mistakes in the command line itself, which has the plugin's options too: they exit with `usage`. */
export const usageCodes: readonly DiagnosticCode[] = [badArgumentCode, "options.bad-value"];
