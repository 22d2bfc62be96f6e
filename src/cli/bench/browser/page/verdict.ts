// Results of a kernel in this browser → a verdict in words: what a page gains by it, and whether a call fits a frame of the screen.

import { duration, times } from "../../../../plugin/report/page/figures.ts";
import type { Benched } from "../../bench-text.ts";

/** Nanoseconds between two pictures of a screen that shows 60 a second, as most do. */
const frameNs = 1e9 / 60;

/** Verdict without a full stop at its end; null: a page gets no kernel here, or nothing was measured. */
export function verdictOf({ bench }: Benched): string | null {
  const bound = bench?.rows.find(({ isBound }) => isBound);
  if (!bound) return null;
  if (bound.isRight === false) return "wrong results";
  if (!bound.times) return null;
  const { medianNs } = bound.times;
  const loopsNs = bench?.rows.find(({ name }) => name === "reference")?.times?.medianNs ?? null;
  const gain = loopsNs === null ? "" : `${times(loopsNs / medianNs)} the reference loops in JavaScript, `;
  return `${gain}${duration(medianNs)}: ${frameWords(medianNs)}`;
}

function frameWords(ns: number): string {
  if (ns > frameNs) return "longer than a frame of 60 Hz, so call it with .async or in a worker";
  const calls = Math.floor(frameNs / ns);
  if (calls >= 100) return "hardly any of a frame of 60 Hz";
  return calls === 1 ? "fits a frame of 60 Hz" : `fits a frame of 60 Hz ${calls} times`;
}
