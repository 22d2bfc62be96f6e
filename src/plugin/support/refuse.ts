// Code, message and hint → an error without a place in a file.

import { type DiagnosticCode, DiagnosticError } from "../../compiler/index.ts";

/** A mistake that the user can mend, without a place in a file. */
export const refuse = (code: DiagnosticCode, message: string, hint: string | null): DiagnosticError =>
  new DiagnosticError({ code, message, loc: null, hint, detail: null });
