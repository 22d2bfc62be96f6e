// Intervals of integers, and what can be said of two of them.

/** An interval. Both ends belong to it; an end may be infinite. */
export interface Interval {
  readonly min: number;
  readonly max: number;
}

export const unbounded: Interval = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

/** Says whether all numbers of the interval are values of an i32. */
export const isBounded = ({ min, max }: Interval): boolean => min >= -(2 ** 31) && max < 2 ** 31;

export const intersect = (a: Interval, b: Interval): Interval => ({
  min: Math.max(a.min, b.min),
  max: Math.min(a.max, b.max),
});

export const union = (a: Interval, b: Interval): Interval => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
