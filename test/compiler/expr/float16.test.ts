// The 16-bit floats, exhaustively where there are 65,536 of them.

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  fromBf16Bits,
  fromF16Bits,
  roundToBf16,
  roundToF16,
  toBf16Bits,
  toF16Bits,
} from "../../../src/compiler/expr/float16.ts";

const patterns = Array.from({ length: 65536 }, (_, pattern) => pattern);

describe.each([
  { name: "f16", to: toF16Bits, from: fromF16Bits, round: roundToF16, infinity: 0x7c00 },
  { name: "bf16", to: toBf16Bits, from: fromBf16Bits, round: roundToBf16, infinity: 0x7f80 },
])("$name", ({ to, from, round, infinity }) => {
  test("every value survives the way out and back", () => {
    const numbers = patterns.filter((pattern) => !Number.isNaN(from(pattern)));
    expect(numbers.filter((pattern) => to(from(pattern)) !== pattern)).toEqual([]);
    expect(numbers).toHaveLength(65536 - 2 * (0x7fff - infinity));
  });

  test("a value between two neighbours goes to the nearer, the middle to the even one", () => {
    const wrong = patterns.slice(0, infinity - 1).filter((pattern) => {
      const [low, high] = [from(pattern), from(pattern + 1)];
      const middle = (low + high) / 2;
      const quarter = (high - low) / 4;
      const even = pattern % 2 === 0 ? pattern : pattern + 1;
      return to(middle) !== even || to(middle - quarter) !== pattern || to(middle + quarter) !== pattern + 1;
    });
    expect(wrong).toEqual([]);
  });

  test("NaN stays NaN, and infinities and signs are kept", () => {
    expect(round(Number.NaN)).toBeNaN();
    expect(to(Number.POSITIVE_INFINITY)).toBe(infinity);
    expect(to(Number.NEGATIVE_INFINITY)).toBe(infinity | 0x8000);
    expect(to(1e39)).toBe(infinity);
    expect(to(-0)).toBe(0x8000);
    expect(from(1)).toBeGreaterThan(0);
  });

  test.prop([fc.float({ noNaN: true }), fc.float({ noNaN: true })])("rounding keeps the order", (a, b) => {
    expect(a <= b ? round(a) <= round(b) : round(a) >= round(b)).toBe(true);
  });
});

describe("known patterns", () => {
  test.each([
    [1, 0x3c00, 0x3f80],
    [-2, 0xc000, 0xc000],
    [0.1, 0x2e66, 0x3dcd],
    [65504, 0x7bff, 0x4780],
    [65519.996, 0x7bff, 0x4780],
    [65520, 0x7c00, 0x4780],
    [2 ** -24, 0x0001, 0x3380],
    [2 ** -25, 0x0000, 0x3300],
    [3 * 2 ** -25, 0x0002, 0x33c0],
  ])("%d", (value, f16, bf16) => {
    expect(toF16Bits(value)).toBe(f16);
    expect(toBf16Bits(value)).toBe(bf16);
  });
});
