// Few noisy times → the numbers that decide. Noise only ever adds time, so low quantiles say more than means.

import { invariant } from "../../compiler/index.ts";
import type { Timing } from "../data/measurement.ts";

/**
 * Returns the q-quantile (0 ≤ q ≤ 1), interpolated between neighbours (type 7 of Hyndman and Fan 1996, as in R and NumPy).
 */
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

export interface Location {
  readonly mean: number;
  /** Standard error of `mean`; infinite for one value, which says nothing about its spread. */
  readonly standardError: number;
  /** Number of values that the mean is of: one more than its degrees of freedom. */
  readonly count: number;
}

/**
 * Returns the mean without the lowest and the highest fifth, and its standard error from the winsorized variance (Tukey and
 * McLaughlin 1963; Yuen 1974). An interrupted sample is slower by any factor, and must not hide what the others agree on.
 * Fewer than five values are all kept.
 */
export function trimmedMean(values: readonly number[], share = 0.2): Location {
  const sorted = values.toSorted((left, right) => left - right);
  const cut = Math.floor(share * sorted.length);
  const kept = sorted.slice(cut, sorted.length - cut);
  const winsorized = [...Array<number>(cut).fill(kept[0]!), ...kept, ...Array<number>(cut).fill(kept.at(-1)!)];
  const widened = standardError(winsorized) / (kept.length / sorted.length);
  return { mean: mean(kept), standardError: widened, count: kept.length };
}

/**
 * Returns how far the median of the samples lies above their least, as a share of it: 0.02 is a quiet machine, 0.2 a busy
 * one.
 */
export const noiseOf = ({ medianNs, minNs }: Timing): number => (minNs > 0 ? medianNs / minNs - 1 : 0);
