// Errors about an operator file as a whole, with the place that they are about.

import { relative } from "node:path";
import { codeFrame, type Diagnostic, DiagnosticError, type SourceLoc } from "../../compiler/index.ts";

/** A path as the user is shown it. */
export const shown = (path: string, root: string): string => relative(root, path).replaceAll("\\", "/");

/** The top of a file. */
export const placeOf = (file: string, root: string): SourceLoc => ({ file: shown(file, root), line: 1, column: 1 });

interface Context {
  readonly hint?: string;
  /** The line at `loc`, for a code frame. */
  readonly lineText?: string | undefined;
}

export function mistake(
  code: Diagnostic["code"],
  message: string,
  loc: SourceLoc | null,
  { hint, lineText }: Context,
): DiagnosticError {
  const detail = loc && lineText ? codeFrame(lineText, loc, null) : null;
  return new DiagnosticError({ code, message, loc, hint: hint ?? null, detail });
}
