import binaryen from "binaryen";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateWasm } from "../../../../src/compiler/codegen/wasm/generate-wasm.ts";
import { type DType, decode, encode, newArray, type TypedArray } from "../../../../src/compiler/index.ts";
import { loadWasm } from "../../../../src/native/load/load-wasm.ts";
import { runFlat } from "./flat-oracle.ts";
import { bufferLength, randomFlat } from "./random-flat.ts";

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
  it("gives what the oracle gives, bit for bit, and touches nothing else", () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const func = randomFlat(gen);
        const kernel = loadWasm(generateWasm(func, { relaxed: false }));
        const wanted = new Map(
          func.buffers.map(({ name, dtype }, salt) => {
            const array = newArray(dtype, bufferLength);
            fill(array, dtype, salt);
            return [name, array as TypedArray];
          }),
        );
        kernel.buffers().forEach((view, index) => {
          view.set(wanted.get(kernel.parameters[index]!.name)! as never);
        });
        kernel.run();
        runFlat(func, wanted);
        kernel.buffers().forEach((view, index) => {
          const { name, dtype } = kernel.parameters[index]!;
          const values = (array: TypedArray) => Array.from(array, (stored) => decode(dtype, stored));
          expect(values(view), name).toEqual(values(wanted.get(name)!));
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
