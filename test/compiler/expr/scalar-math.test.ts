// The meaning of the operators, at their edges.

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { erf } from "../../../src/compiler/expr/erf.ts";
import { applyBinary, applyUnary, castValue, fit } from "../../../src/compiler/expr/scalar-math.ts";

const i32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

describe("integers", () => {
  test.prop([i32, i32])("i32 arithmetic is that of 32-bit words", (a, b) => {
    const word = (n: bigint): number => Number(BigInt.asIntN(32, n));
    expect(applyBinary("add", "i32", a, b)).toBe(word(BigInt(a) + BigInt(b)));
    expect(applyBinary("sub", "i32", a, b)).toBe(word(BigInt(a) - BigInt(b)));
    expect(applyBinary("mul", "i32", a, b)).toBe(word(BigInt(a) * BigInt(b)));
  });

  test.prop([i32, fc.integer({ min: 1, max: 2 ** 31 - 1 })])("floorDiv and mod belong together", (a, b) => {
    const [quotient, rest] = [applyBinary("floorDiv", "i32", a, b), applyBinary("mod", "i32", a, b)];
    expect(quotient * b + rest).toBe(a);
    expect(rest).toBeGreaterThanOrEqual(0);
    expect(rest).toBeLessThan(b);
  });

  test("narrow types wrap in their own width", () => {
    expect(applyBinary("add", "i8", 127, 1)).toBe(-128);
    expect(applyBinary("mul", "u8", 16, 16)).toBe(0);
    expect(applyBinary("sub", "u8", 0, 1)).toBe(255);
    expect(applyBinary("mul", "i16", 32767, 32767)).toBe(1);
    expect(applyUnary("neg", "i8", -128)).toBe(-128);
    expect(applyUnary("abs", "i8", -128)).toBe(-128);
    expect(applyUnary("neg", "i32", 0)).toBe(0);
  });
});

describe("floats", () => {
  test.prop([fc.float(), fc.float()])("f32 rounds after each operation", (a, b) => {
    expect(applyBinary("mul", "f32", a, b)).toBe(Math.fround(a * b));
    expect(applyBinary("add", "f32", a, b)).toBe(Math.fround(a + b));
  });

  test("min and max: a NaN on the right is ignored, one on the left stays; of equal zeros the left", () => {
    expect(applyBinary("min", "f32", 1, Number.NaN)).toBe(1);
    expect(applyBinary("min", "f32", Number.NaN, 1)).toBeNaN();
    expect(applyBinary("max", "f32", 1, Number.NaN)).toBe(1);
    expect(applyBinary("max", "f32", Number.NaN, 1)).toBeNaN();
    expect(applyBinary("max", "f32", -0, 0)).toBe(-0);
    expect(applyBinary("min", "f32", 0, -0)).toBe(0);
  });

  test.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [-0.5, -0],
    [-1.5, -2],
    [-0.2, -0],
    [2.4999, 2],
    [1e300, 1e300],
    [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ])("round(%d) is %d", (x, rounded) => {
    expect(applyUnary("round", "f64", x)).toBe(rounded);
  });

  test("functions", () => {
    expect(applyUnary("rsqrt", "f32", 4)).toBe(0.5);
    expect(applyUnary("sigmoid", "f32", 0)).toBe(0.5);
    expect(applyUnary("sigmoid", "f32", -200)).toBe(Math.fround(Math.exp(-200)));
    expect(applyBinary("pow", "f32", 2, -3)).toBe(0.125);
  });
});

describe("casts", () => {
  test("float to integer truncates, saturates, and gives 0 for NaN", () => {
    expect(castValue(-1.9, "f32", "i32")).toBe(-1);
    expect(castValue(-0.5, "f32", "i32")).toBe(0);
    expect(castValue(1e10, "f32", "i32")).toBe(2147483647);
    expect(castValue(-1e10, "f32", "i16")).toBe(-32768);
    expect(castValue(300.7, "f64", "u8")).toBe(255);
    expect(castValue(Number.NEGATIVE_INFINITY, "f32", "u8")).toBe(0);
    expect(castValue(Number.NaN, "f32", "i8")).toBe(0);
  });

  test("integer to narrower wraps, to f32 rounds to nearest even", () => {
    expect(castValue(300, "i32", "u8")).toBe(44);
    expect(castValue(200, "u8", "i8")).toBe(-56);
    expect(castValue(16777217, "i32", "f32")).toBe(16777216);
    expect(castValue(16777219, "i32", "f32")).toBe(16777220);
  });

  test("bool is whether a value is not 0", () => {
    expect(castValue(-0.5, "f32", "bool")).toBe(1);
    expect(castValue(-0, "f32", "bool")).toBe(0);
    expect(castValue(1, "bool", "i8")).toBe(1);
  });

  test.prop([fc.double()])("f64 to f32 is fround", (x) => {
    expect(fit.f32(x)).toBe(Math.fround(x));
  });
});

describe("erf", () => {
  // Abramowitz & Stegun, table 7.1, and the DLMF's values.
  test.each([
    [0.1, 0.1124629160182849],
    [0.5, 0.5204998778130465],
    [1, 0.8427007929497149],
    [2, 0.9953222650189527],
    [3, 0.9999779095030014],
    [5, 0.9999999999984626],
    [1e-10, 1.1283791670955126e-10],
  ])("erf(%d)", (x, expected) => {
    expect(Math.abs(erf(x) / expected - 1)).toBeLessThan(1e-14);
    expect(erf(-x)).toBe(-erf(x));
  });

  test("at its ends", () => {
    expect(erf(-0)).toBe(-0);
    expect(erf(Number.POSITIVE_INFINITY)).toBe(1);
    expect(erf(-7)).toBe(-1);
    expect(erf(Number.NaN)).toBeNaN();
  });
});
