// Axes of a plot: the place of a value on a line, in pixels, and the round values that are marked.

export interface PlotAxis {
  /** Returns the pixels from the axis's start; values outside stay at its ends. */
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

/**
 * Makes a logarithmic axis; both ends are positive. Marks are 1, 2 and 5 times powers of ten, or the powers alone where it
 * is long.
 */
export function logAxis(from: number, to: number, pixels: number): PlotAxis {
  const span = Math.log(to / from);
  const steps = span > Math.log(1e3) ? [1] : [1, 2, 5];
  return {
    place: (value) => (clamp(Math.log(value / from) / span) || 0) * pixels,
    ticks: decades(from, to)
      .flatMap((decade) => steps.map((step) => rounded(step * decade)))
      .filter((tick) => tick >= from && tick <= to),
  };
}

/** Makes a linear axis with a mark at every multiple of `step`. */
export function linearAxis(from: number, to: number, step: number, pixels: number): PlotAxis {
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return {
    place: (value) => clamp((value - from) / (to - from)) * pixels,
    ticks: Array.from({ length: count }, (_, at) => rounded((first + at) * step)),
  };
}

/** Returns the next round value below: 1, 2 or 5 times a power of ten. */
export function roundDown(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  const step = [5, 2, 1].find((it) => it * decade <= value) ?? 1;
  return rounded(step * decade);
}

function decades(from: number, to: number): readonly number[] {
  const first = Math.floor(Math.log10(from));
  return Array.from({ length: Math.floor(Math.log10(to)) - first + 1 }, (_, at) => 10 ** (first + at));
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share));

/** Rounds to 12 digits, as 10 ** -1 * 3 is not 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));
