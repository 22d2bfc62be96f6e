// The error of a kernel that a back end's machine cannot run: the schedule is illegal for it, and a search goes on with others.

import { type DiagnosticError, refuse } from "../support/diagnostic.ts";

/** Makes the error that `generate` of a code generator throws. */
export const cannotRun = (backend: string, why: string, hint: string): DiagnosticError =>
  refuse("backend.cannot", `${backend}: ${why}`, hint);
