// Error bounds in modules are short, and bounds still.

import { expect, test } from "vitest";
import { writtenBound } from "../../../src/plugin/binding/module/written-bound.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

test.each([
  [6.115436553955078e-5, 6.12e-5],
  [6.110000000000001e-5, 6.12e-5],
  [0.0009999, 0.001],
  [0.00999, 0.00999],
  [2e-6, 2e-6],
  [1, 1],
  [123.4, 124],
  [0, 0],
  [null, null],
])("%s is written as %s", (bound, written) => {
  expect(writtenBound(bound)).toBe(written);
});

test("no bound becomes less, and none more than a hundredth more", () => {
  const rng = createRng(1);
  for (let at = 0; at < 10_000; at++) {
    const bound = (1 + rng.below(1 << 30)) * 2 ** -(rng.below(60) + 1);
    const ratio = writtenBound(bound)! / bound;
    expect(ratio, String(bound)).toBeGreaterThanOrEqual(1);
    expect(ratio, String(bound)).toBeLessThan(1.0101);
  }
});
