// Integer arithmetic that JavaScript's operators do not give.

/** ⌈a / b⌉ for b > 0. */
export const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

/** ⌊a / b⌋. */
export const floorDiv = (a: number, b: number): number => Math.floor(a / b);

/** a mod b with the sign of b, as floorDiv leaves it. */
export const floorMod = (a: number, b: number): number => a - b * Math.floor(a / b);

/** The greatest common divisor of two numbers that are not negative; that of 0 and n is n. */
export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** The product of all factors; of none, 1. */
export const product = (factors: readonly number[]): number => factors.reduce((result, factor) => result * factor, 1);

/** Says whether a number is 1, 2, 4, 8, … */
export const isPowerOfTwo = (value: number): boolean => value > 0 && Number.isInteger(Math.log2(value));
