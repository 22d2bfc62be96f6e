// Computes how much better than the best a value is expected to be, from its mean and variance.

/** Returns E[max(0, value − best)] of a normal value (Jones, Schonlau and Welch, 1998), in units of the values. */
export function expectedImprovement(mean: number, variance: number, best: number): number {
  const gain = mean - best;
  const deviation = Math.sqrt(variance);
  if (deviation < 1e-12) return Math.max(0, gain);
  const z = gain / deviation;
  return Math.max(0, gain * normalBelow(z) + deviation * normalDensity(z));
}

/** Returns the normal density, rounded to 24 bits because engines differ in the last of 53. */
const normalDensity = (z: number): number => Math.fround(Math.exp(-(z * z) / 2)) / Math.sqrt(2 * Math.PI);

/** Returns P(normal < z), within 8·10⁻⁸ (Abramowitz and Stegun, 26.2.17). */
function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = normalDensity(z) * series;
  return z >= 0 ? 1 - above : above;
}
