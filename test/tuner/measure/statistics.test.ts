import { expect, it } from "vitest";
import { quantile, standardError, summarize } from "../../../src/tuner/measure/statistics.ts";

it("a quantile is that of NumPy", () => {
  expect(quantile([4, 1, 3, 2], 0.2)).toBeCloseTo(1.6, 12);
  expect(quantile([5], 0.2)).toBe(5);
  expect(quantile([1, 2], 0.5)).toBe(1.5);
});

it("samples are summed up", () => {
  expect(summarize([30, 10, 20, 50, 40])).toEqual({ medianNs: 30, minNs: 10, p20Ns: 18, repeats: 5 });
  expect(summarize([7])).toEqual({ medianNs: 7, minNs: 7, p20Ns: 7, repeats: 1 });
});

it("one value says nothing about its spread", () => {
  expect(standardError([3])).toBe(Number.POSITIVE_INFINITY);
  expect(standardError([1, 3])).toBeCloseTo(1, 12);
});
