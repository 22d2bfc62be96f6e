import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { arrayOf, type DType, dtypes, type KernelParameter } from "../../../src/compiler/index.ts";
import { createArena } from "../../../src/native/runner/arena.ts";
import { expectOutput, mismatch } from "../../../src/native/runner/compare.ts";
import type { OutputBound } from "../../../src/native/runner/protocol.ts";

const exact: OutputBound = { kind: "exact" };
const parameter = (dtype: DType, length: number): KernelParameter => ({
  name: "C",
  dtype,
  shape: [1, length],
  length,
  role: "output",
});
const expected = (dtype: DType, values: number[], bound: OutputBound = exact) =>
  expectOutput(parameter(dtype, values.length), arrayOf(dtype, values), bound);

describe("comparing outputs", () => {
  it.each(dtypes)("%s: what is not written is wrong, whatever was expected", (dtype) => {
    const values = dtype === "bool" ? [0, 1, 1] : [0, 1, 90];
    const bound: OutputBound = { kind: "within", relative: 1, absolute: 0 };
    const output = expected(
      dtype,
      values,
      dtype === "f32" || dtype === "f16" || dtype === "bf16" || dtype === "f64" ? bound : exact,
    );
    expect(mismatch(output, arrayOf(dtype, values))).toBeNull();
    for (const index of values.keys()) {
      const actual = arrayOf(dtype, values);
      actual[index] = output.sentinel[index]!;
      expect(mismatch(output, output.sentinel)).toContain("(3 of 3 elements differ)");
      expect(mismatch(output, actual)).toMatch(/^C\[0, \d\] is (not written|NaN)/);
    }
  });

  it("equality is that of numbers: NaN is NaN, -0 is 0", () => {
    const output = expected("f32", [0, Number.NaN, Number.POSITIVE_INFINITY]);
    expect(mismatch(output, Float32Array.of(-0, Number.NaN, Number.POSITIVE_INFINITY))).toBeNull();
    expect(mismatch(output, Float32Array.of(0, 2, Number.POSITIVE_INFINITY))).toContain(
      "C[0, 1] is 2, the reference gives NaN",
    );
    expect(mismatch(output, Float32Array.of(0, Number.NaN, 3e38))).toContain("gives Infinity");
  });

  it("a bound is relative to the largest expected value", () => {
    const output = expected("f32", [0, 100], { kind: "within", relative: 0.01, absolute: 0 });
    expect(mismatch(output, Float32Array.of(0.9, 100.9))).toBeNull();
    expect(mismatch(output, Float32Array.of(1.1, 100))).toBe(
      "C[0, 0] is 1.100000023841858, the reference gives 0, allowed is a relative 1.0e-2 (1 of 2 elements differ)",
    );
    expect(mismatch(output, Float32Array.of(Number.NaN, 100))).toContain("is NaN");
  });

  it("f16 and bf16 are compared by value", () => {
    const bound: OutputBound = { kind: "within", relative: 0.01, absolute: 0 };
    for (const dtype of ["f16", "bf16"] as const) {
      expect(mismatch(expected(dtype, [1, 2], bound), arrayOf(dtype, [1.01, 2]))).toBeNull();
      expect(mismatch(expected(dtype, [1, 2], bound), arrayOf(dtype, [1.1, 2]))).toContain("C[0, 0] is 1.");
    }
  });
});

describe("the arena", () => {
  test.prop([
    fc.array(fc.tuple(fc.constantFrom(...dtypes), fc.integer({ min: 1, max: 300 })), { minLength: 1, maxLength: 5 }),
  ])("gives aligned arrays, and sees a byte before or behind any of them", (sizes) => {
    const parameters = sizes.map(([dtype, length], index) => ({ ...parameter(dtype, length), name: `P${index}` }));
    const { arrays, overrun } = createArena(parameters);
    for (const [index, array] of arrays.entries()) {
      expect(array.length).toBe(sizes[index]![1]);
      expect(array.byteOffset % 64).toBe(0);
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).fill(7);
    }
    expect(overrun()).toBeNull();
    for (const [index, array] of arrays.entries()) {
      for (const byte of [array.byteOffset - 1, array.byteOffset + array.byteLength]) {
        new Uint8Array(array.buffer)[byte] = 7;
        expect(overrun()).toBe(`P${index}`);
        expect(overrun()).toBeNull();
      }
    }
  });
});
