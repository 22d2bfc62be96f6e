// The error that `tuneAll` rejects with where some kernels cannot be tuned: every failure, and the results of the other kernels.

import { DiagnosticError } from "../compiler/index.ts";

export interface TuneFailure {
  /** Places of the kernels that share the task. */
  readonly kernels: readonly number[];
  readonly error: DiagnosticError;
}

/** Reads as the first failure. */
export class TuneAllError<Tuned> extends DiagnosticError {
  /** Results of the kernels that were tuned. */
  readonly tuned: readonly Tuned[];
  readonly failures: readonly TuneFailure[];

  constructor(tuned: readonly Tuned[], failures: readonly [TuneFailure, ...TuneFailure[]]) {
    super(failures[0].error.diagnostic, { cause: failures[0].error });
    this.name = "TuneAllError";
    this.tuned = tuned;
    this.failures = failures;
  }
}
