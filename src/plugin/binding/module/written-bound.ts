// The error bound of a kernel as modules have it: three digits, rounded up, as digits that say nothing are bytes of every page.

const digits = 3;

/** @param bound null: there is none */
export function writtenBound(bound: number | null): number | null {
  if (bound === null || bound === 0) return bound;
  const short = Number(bound.toPrecision(digits));
  if (short >= bound) return short;
  const last = 10 ** (Math.floor(Math.log10(short)) - digits + 1);
  return Number((short + last).toPrecision(digits));
}
