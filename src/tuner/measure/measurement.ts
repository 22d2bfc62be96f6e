// What came of building, checking and timing one candidate. Stage 9. Failures are values and teach the search too.

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
  /** The primitives, the code generator or the compiler refused it. */
  | { readonly kind: "build-failed"; readonly reason: string }
  /** The process died: SIGSEGV, SIGILL, a WASM trap. */
  | { readonly kind: "crashed"; readonly reason: string }
  | { readonly kind: "timed-out"; readonly deadlineMs: number }
  /** Ran, and gave other numbers than the reference: a bug of ours. */
  | { readonly kind: "wrong-result"; readonly reason: string }
  /** Ran, and gave other numbers, as a right kernel may: the operator cancels, so that its rounding hides the answer. */
  | { readonly kind: "ill-conditioned"; readonly reason: string };

/**
 * Nanoseconds that a search holds against those of others: the least, since noise only ever adds. Null for one that failed.
 */
export const searchedNs = (measurement: Measurement): number | null =>
  measurement.kind === "ok" ? measurement.timing.minNs : null;
