import binaryen from "binaryen";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateWasm } from "../../../../src/compiler/codegen/wasm/generate-wasm.ts";
import { type DType, encode, type TypedArray, valuesOf } from "../../../../src/compiler/index.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import { loadWasm } from "../../../../src/native/load/load-wasm.ts";
import { randomFlat } from "./random-flat.ts";

/** Values that meet the corners: signs, zeros, ties, extremes. */
const samples = [
  0, 1, -1, 2, 3, -3, 0.5, 2.5, -2.5, 100, 127, -128, 255, 300, 65504, 1e-6, -7.75, 2147483647, 1e10, -0,
];

function fill(array: TypedArray, dtype: DType, salt: number): void {
  for (let at = 0; at < array.length; at++) {
    const value = samples[(at * 7 + salt) % samples.length]!;
    array[at] = dtype === "bool" ? Number((at * 5 + salt) % 3 === 0) : encode(dtype, value);
  }
}

describe("generateWasm on random flat functions", () => {
  it("gives what the interpreter gives, bit for bit, and touches nothing else", () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const func = randomFlat(gen);
        const kernel = loadWasm(generateWasm(func, { relaxed: false }));
        const inputs: Record<string, TypedArray> = {};
        kernel.buffers().forEach((view, index) => {
          const { name, dtype, role } = kernel.parameters[index]!;
          fill(view, dtype, index);
          if (role === "input") inputs[name] = view;
        });
        const wanted = interpret(func, inputs);
        kernel.run();
        kernel.buffers().forEach((view, index) => {
          const { name, dtype, role } = kernel.parameters[index]!;
          if (role === "output") expect(valuesOf(dtype, view), name).toEqual(valuesOf(dtype, wanted[name]!));
        });
      }),
      { numRuns: 400 },
    );
  });

  it("is accepted by binaryen's reader and validator", () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const module = binaryen.readBinary(generateWasm(randomFlat(gen), { relaxed: true }).bytes);
        module.setFeatures(binaryen.Features.All);
        expect(module.validate()).toBe(1);
        module.dispose();
      }),
      { numRuns: 40 },
    );
  });
});
