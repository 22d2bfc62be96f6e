// Outcome of building, checking and timing one candidate. Stage 9. Failures are values and teach the search too.

/** Times of one run of the kernel, over the repeats that were kept. */
export interface Timing {
  readonly medianNs: number;
  readonly minNs: number;
  /** The 20 % quantile. */
  readonly p20Ns: number;
  readonly repeats: number;
}

export type Measurement =
  | { readonly kind: "ok"; readonly timing: Timing }
  /** The primitives, the code generator or the compiler refused the candidate. */
  | { readonly kind: "build-failed"; readonly reason: string }
  /** The process died: SIGSEGV, SIGILL, a WASM trap. */
  | { readonly kind: "crashed"; readonly reason: string }
  | { readonly kind: "timed-out"; readonly deadlineMs: number }
  /** The kernel ran, and gave other numbers than the reference: a bug of ours. */
  | { readonly kind: "wrong-result"; readonly reason: string }
  /**
   * The kernel ran, and gave other numbers, as a right kernel may: the operator cancels, so that its rounding hides the
   * answer.
   */
  | { readonly kind: "ill-conditioned"; readonly reason: string };

/**
 * Returns the nanoseconds that a search compares: the least sample, since noise only ever adds. Null for a failure.
 */
export const searchedNs = (measurement: Measurement): number | null =>
  measurement.kind === "ok" ? measurement.timing.minNs : null;
