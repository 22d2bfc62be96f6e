// The error function in f64 by its Maclaurin series, for arguments of moderate size.

/** Σ (-1)ⁿ x²ⁿ⁺¹ / (n! (2n + 1)) · 2/√π; beyond 5 it is ±1 to 1e-11. */
export function plainErf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let power = x;
  let sum = x;
  for (let n = 1; n < 120; n++) {
    power *= (-x * x) / n;
    sum += power / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}
