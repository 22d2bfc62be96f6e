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

/** Returns a measurement with its times multiplied. A failure has none. */
export function scaled(measurement: Measurement, factor: number): Measurement {
  if (measurement.kind !== "ok") return measurement;
  const { medianNs, minNs, p20Ns, repeats } = measurement.timing;
  return {
    kind: "ok",
    timing: { medianNs: medianNs * factor, minNs: minNs * factor, p20Ns: p20Ns * factor, repeats },
  };
}

/** Winner of a race, with the next best; entrants are given by their index among the sources. */
export interface RaceVerdict {
  readonly winner: number;
  /** The best of the others; null where no other ran. */
  readonly runnerUp: number | null;
  /** Winner's times over the rounds of the race; null where it was alone, or did not run. */
  readonly timing: Timing | null;
}

/**
 * Reason of a candidate during which two workers of a fleet died, one after the other. It holds for one tuning and is not recorded: no
 * worker has signed that it died, the queue says so.
 */
export const killsItsWorker = "it kills its worker";
