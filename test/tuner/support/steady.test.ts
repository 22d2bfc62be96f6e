import { expect, test } from "vitest";
import { steady, steadyLog2 } from "../../../src/tuner/support/steady.ts";

test("neighbours in the last bit become one number, and no others", () => {
  const value = Math.log2(3);
  expect(steady(value + Number.EPSILON)).toBe(steady(value));
  expect(steady(value - Number.EPSILON)).toBe(steady(value));
  expect(steady(value)).toBeCloseTo(value, 8);
  expect(steady(value + 1e-8)).not.toBe(steady(value));
});

test("whole octaves stay as they are, infinities too", () => {
  expect(steadyLog2(8)).toBe(3);
  expect(steadyLog2(0)).toBe(Number.NEGATIVE_INFINITY);
});
