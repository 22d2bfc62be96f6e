// Few noisy times → the numbers that decide. Noise only ever adds time, so low quantiles say more than means.

import { invariant } from "../../compiler/index.ts";
import type { Timing } from "./measurement.ts";

/** The q-quantile (0 ≤ q ≤ 1), interpolated between neighbours (type 7 of Hyndman and Fan 1996, as in R and NumPy). */
export function quantile(values: readonly number[], q: number): number {
  invariant(values.length > 0, "a quantile needs a value");
  const sorted = values.toSorted((left, right) => left - right);
  const position = q * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (position - below);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const summarize = (samplesNs: readonly number[]): Timing => ({
  medianNs: median(samplesNs),
  minNs: Math.min(...samplesNs),
  p20Ns: quantile(samplesNs, 0.2),
  repeats: samplesNs.length,
});

export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

/** Standard error of the mean; infinite for one value, which says nothing about its spread. */
export function standardError(values: readonly number[]): number {
  if (values.length < 2) return Number.POSITIVE_INFINITY;
  const centre = mean(values);
  const squares = values.reduce((total, value) => total + (value - centre) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
