// A mistake that is not ours: what was found, what was wanted, where, and one hint.

import type { DiagnosticCode } from "./codes.ts";
import type { SourceLoc } from "./source-loc.ts";

export interface Diagnostic {
  /** Stable code, `<area>.<what>`, e.g. "expr.shape-mismatch"; docs/errors.md lists them. */
  readonly code: DiagnosticCode;
  /** Message of one sentence, without a full stop. */
  readonly message: string;
  readonly loc: SourceLoc | null;
  /** Advice for the user; null when the message gives it. */
  readonly hint: string | null;
  /** More lines to show below: a code frame, a loop nest with the guilty loops marked. */
  readonly detail: string | null;
}

/** Carries a Diagnostic out of the stage that found it. The message is the printed diagnostic. */
export class DiagnosticError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic, options?: ErrorOptions) {
    super(printDiagnostic(diagnostic), options);
    this.name = "DiagnosticError";
    this.diagnostic = diagnostic;
  }
}

/** Makes the error of a mistake that the user can mend, without a place in a file. */
export const refuse = (code: DiagnosticCode, message: string, hint: string | null): DiagnosticError =>
  new DiagnosticError({ code, message, loc: null, hint, detail: null });

/**
 * `code: message`, then the place, the detail and the hint, each on lines of their own.
 *
 *     expr.shape-mismatch: B is read with 3 indices, it has 2 dimensions
 *       src/gemm.op.ts:8:52
 *       hint: drop one index, or declare B with three dimensions
 */
export function printDiagnostic({ code, message, loc, hint, detail }: Diagnostic): string {
  const lines = [`${code}: ${message}`];
  if (loc) lines.push(`  ${loc.file}:${loc.line}:${loc.column}`);
  if (detail) lines.push(detail);
  if (hint) lines.push(`  hint: ${hint}`);
  return lines.join("\n");
}
