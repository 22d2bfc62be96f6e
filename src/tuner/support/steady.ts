// Numbers that decide: log₂, exp and powers may differ in the last bit from one engine to the next, and two candidates
// that a decision holds for equal must be equal on all of them. Each such result goes through here before it is compared.

/**
 * Inverse of the step that numbers are rounded to: 2^-30 keeps the first nine decimals, far above the last bit and below
 * any meaning.
 */
const unit = 2 ** 30;

/** Rounds to the nearest multiple of 2^-30. Scaling by a power of two is exact, so engines agree on the result. */
export const steady = (value: number): number => (Number.isFinite(value) ? Math.round(value * unit) / unit : value);

/** @example steadyLog2(8) === 3 */
export const steadyLog2 = (value: number): number => steady(Math.log2(value));
