// Numbers as people read them: three digits and a unit.

/** Prints three significant digits, without an exponent. */
export const threeDigits = (value: number): string =>
  Math.abs(value) >= 100 ? String(Math.round(value)) : Number(value.toPrecision(3)).toString();

/** @example duration(1_234_567) // "1.23 ms" */
export function duration(ns: number): string {
  if (ns < 1e3) return `${threeDigits(ns)} ns`;
  if (ns < 1e6) return `${threeDigits(ns / 1e3)} µs`;
  return ns < 1e9 ? `${threeDigits(ns / 1e6)} ms` : `${threeDigits(ns / 1e9)} s`;
}

/** @example percent(0.123) // "12.3 %" */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
