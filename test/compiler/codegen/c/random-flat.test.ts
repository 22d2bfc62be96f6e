// Random flat functions as compiled C against the loop-IR interpreter, bit for bit. The functions give every element of an
// output a value first, so that one written by mistake shows.

import fc from "fast-check";
import { expect } from "vitest";
import { generateC } from "../../../../src/compiler/codegen/c/generate-c.ts";
import { type DType, dtypes, encode, newArray, type TypedArray, valuesOf } from "../../../../src/compiler/index.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import type { Buffer } from "../../../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../../../src/compiler/ir/print.ts";
import { eachCompiler, nativeTargets } from "../../../native/compiled.ts";
import { inTurn } from "../../../support/long.ts";
import { bufferLength, randomFlat } from "../wasm/random-flat.ts";

const turn = inTurn(5);

/** Values that meet the corners: signs, zeros, ties, extremes. */
const samples = [
  0, 1, -1, 2, 3, -3, 0.5, 2.5, -2.5, 100, 127, -128, 255, 300, 65504, 1e-6, -7.75, 2147483647, 1e10, -0,
];

function filled({ dtype }: Buffer, salt: number): TypedArray {
  const array: TypedArray = newArray(dtype, bufferLength);
  for (let at = 0; at < array.length; at++) array[at] = sampleOf(dtype, at, salt);
  return array;
}

const sampleOf = (dtype: DType, at: number, salt: number): number =>
  dtype === "bool" ? Number((at * 5 + salt) % 3 === 0) : encode(dtype, samples[(at * 7 + salt) % samples.length]!);

/** gcc 12 fails with an internal error where f64 becomes i32 in vectors twice as long as registers: those of this target have no f64. */
const typesOf = (title: string): readonly DType[] =>
  title.startsWith("64-byte") ? dtypes.filter((dtype) => dtype !== "f64") : dtypes;

for (const [at, { title, target }] of nativeTargets.entries()) {
  eachCompiler({ title, target }, ({ compileFunctions }) => {
    turn.for([0, 1, 2])("batch %i of random functions", async (batch) => {
      const arbitrary = fc.gen().map((gen) => randomFlat(gen, typesOf(title)));
      const functions = fc.sample(arbitrary, { numRuns: 40, seed: (at + 1) * 100 + batch });
      const run = await compileFunctions(functions, target);
      for (const [index, func] of functions.entries()) {
        const arrays = func.buffers.map(filled);
        const wanted = interpret(func, Object.fromEntries(func.buffers.map(({ name }, at) => [name, arrays[at]!])));
        run(index, ...arrays);
        for (const [at, { name, dtype, role }] of func.buffers.entries()) {
          if (role !== "output") continue;
          const text = `${printFunc(func)}\n${generateC(func, target, { numerics: "strict" }).text}`;
          expect(valuesOf(dtype, arrays[at]!), `${name}\n${text}`).toEqual(valuesOf(dtype, wanted[name]!));
        }
      }
    });
  });
}
