// Intervals of integers: what can be said of two of them, and what an operation makes of them.
//
// Ends are numbers. An extent that is known only at run time is a variable like others, an atom of the forms with the range
// 1..2^31 - 1: bounds then hold for every value of it, and what depends on it stays exact in the form. Ends that are forms
// themselves would replace the functions of this file alone, since bounds are put together here and nowhere else.

/** An interval. Both ends belong to it; an end may be infinite. It is empty where min > max. */
export interface Interval {
  readonly min: number;
  readonly max: number;
}

export const unbounded: Interval = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

/** Says whether all numbers of the interval are values of an i32. */
export const isBounded = ({ min, max }: Interval): boolean => min >= -(2 ** 31) && max < 2 ** 31;

/** No value at all: that of what is never evaluated. */
export const empty: Interval = { min: 1, max: 0 };

export const isEmpty = ({ min, max }: Interval): boolean => min > max;

export const intersect = (a: Interval, b: Interval): Interval => ({
  min: Math.max(a.min, b.min),
  max: Math.min(a.max, b.max),
});

export const union = (a: Interval, b: Interval): Interval => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

export const add = (a: Interval, b: Interval): Interval => ({ min: a.min + b.min, max: a.max + b.max });

/** The interval of all multiples by a factor that is not 0. */
export const scale = ({ min, max }: Interval, factor: number): Interval =>
  factor > 0 ? { min: min * factor, max: max * factor } : { min: max * factor, max: min * factor };

/** The integers x for which factor · x is in the interval; the factor is not 0. */
export const unscale = ({ min, max }: Interval, factor: number): Interval =>
  factor > 0
    ? { min: Math.ceil(min / factor), max: Math.floor(max / factor) }
    : { min: Math.ceil(max / factor), max: Math.floor(min / factor) };

/** Products of two values, of which each is bounded. */
export function multiply(a: Interval, b: Interval): Interval {
  if (!isBounded(a) || !isBounded(b)) return unbounded;
  const corners = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
  return { min: Math.min(...corners), max: Math.max(...corners) };
}

/** ⌊x / by⌋ of positive divisors; of others nothing is known. */
export function floorDivide({ min, max }: Interval, by: Interval): Interval {
  if (by.min < 1) return unbounded;
  return { min: Math.floor(min / (min < 0 ? by.min : by.max)), max: Math.floor(max / (max < 0 ? by.max : by.min)) };
}

/** x mod `by` of positive divisors; of others nothing is known. */
export function modulo(x: Interval, by: Interval): Interval {
  if (by.min < 1) return unbounded;
  if (by.min === by.max) {
    const first = Math.floor(x.min / by.min);
    if (first === Math.floor(x.max / by.min) && isBounded(x))
      return add(x, { min: -first * by.min, max: -first * by.min });
  }
  if (x.min < 0) return { min: 0, max: by.max - 1 };
  return { min: x.max < by.min ? x.min : 0, max: Math.min(x.max, by.max - 1) };
}

export const smaller = (a: Interval, b: Interval): Interval => ({
  min: Math.min(a.min, b.min),
  max: Math.min(a.max, b.max),
});

export const larger = (a: Interval, b: Interval): Interval => ({
  min: Math.max(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** Sizes without signs. */
export const magnitude = ({ min, max }: Interval): Interval => ({
  min: Math.max(0, min, -max),
  max: Math.max(-min, max),
});
