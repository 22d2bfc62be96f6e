// Random flat functions as compiled C against the oracle, bit for bit, on buffers whose every element is compared: what
// must not be written is not.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateC } from "../../../../src/compiler/codegen/c/generate-c.ts";
import { type DType, decode, encode, newArray, type TypedArray } from "../../../../src/compiler/index.ts";
import type { LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../../../src/compiler/ir/print.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";
import { compileFunctions, skipReason, wideAvx2 } from "../../../native/compiled.ts";
import { runFlat } from "../wasm/flat-oracle.ts";
import { bufferLength, randomFlat } from "../wasm/random-flat.ts";

/** Values that meet the corners: signs, zeros, ties, extremes. */
const samples = [
  0, 1, -1, 2, 3, -3, 0.5, 2.5, -2.5, 100, 127, -128, 255, 300, 65504, 1e-6, -7.75, 2147483647, 1e10, -0,
];

function filled({ buffers }: LoopFunc): Map<string, TypedArray> {
  const arrays = buffers.map(({ name, dtype }, salt): [string, TypedArray] => {
    const array: TypedArray = newArray(dtype, bufferLength);
    for (let at = 0; at < array.length; at++) array[at] = sampleOf(dtype, at, salt);
    return [name, array];
  });
  return new Map(arrays);
}

const sampleOf = (dtype: DType, at: number, salt: number): number =>
  dtype === "bool" ? Number((at * 5 + salt) % 3 === 0) : encode(dtype, samples[(at * 7 + salt) % samples.length]!);

const runs = [
  { title: "avx2", target: targets.avx2, seed: 1 },
  { title: "64-byte vectors on AVX2", target: wideAvx2, seed: 2 },
];

for (const { title, target, seed } of runs) {
  describe.skipIf(skipReason)(title, () => {
    test.for([0, 1, 2])("batch %i of random functions", async (batch) => {
      const arbitrary = fc.gen().map((gen) => randomFlat(gen));
      const functions = fc.sample(arbitrary, { numRuns: 40, seed: seed * 100 + batch });
      const run = await compileFunctions(functions, target);
      for (const [index, func] of functions.entries()) {
        const [wanted, got] = [filled(func), filled(func)];
        runFlat(func, wanted);
        run(index, ...got.values());
        for (const { name, dtype } of func.buffers) {
          const values = (array: TypedArray): readonly number[] => Array.from(array, (stored) => decode(dtype, stored));
          const about = () => `${name}\n${printFunc(func)}\n${generateC(func, target, { numerics: "strict" }).text}`;
          try {
            expect(values(got.get(name)!)).toEqual(values(wanted.get(name)!));
          } catch (error) {
            throw new Error(about(), { cause: error });
          }
        }
      }
    });
  });
}
