// A flat loop function → its kernel for a target that is emulated, with what the loop-IR interpreter makes of the inputs: equal in every
// bit but those of a NaN.

import {
  type CpuTarget,
  type DType,
  encode,
  generateC,
  newArray,
  type TypedArray,
  targets,
  valuesOf,
} from "../../src/compiler/index.ts";
import { interpret } from "../../src/compiler/ir/interpret.ts";
import type { Buffer, LoopFunc } from "../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../src/compiler/ir/print.ts";
import { bytesOf } from "../../src/native/runner/arena.ts";
import type { KernelArray } from "../../src/native/runner/protocol.ts";
import type { EmulatedKernel } from "./run-emulated.ts";

/** `inputs` by name; those that are not given hold samples. */
export function flatKernel(
  family: string,
  func: LoopFunc,
  inputs: Readonly<Record<string, KernelArray>> = {},
  target: CpuTarget = targets.avx512,
): EmulatedKernel {
  const { buffers } = func;
  const source = generateC(func, target, { numerics: "strict" });
  const given = buffers
    .filter(({ role }) => role === "input")
    .map((buffer, at) => inputs[buffer.name] ?? sampled(buffer, at));
  const outputs = source.parameters.filter(({ role }) => role === "output");
  const names = source.parameters.map(({ name }) => name);
  const wanted = interpret(func, Object.fromEntries(given.map((array, at) => [names[at]!, array])));
  return {
    family,
    source,
    inputs: given,
    sentinels: outputs.map(({ dtype, length }) => sentinel(dtype, length)),
    wrong: (arrays) =>
      outputs
        .map(({ name, dtype }, at) => difference(name, dtype, arrays[at]!, wanted[name]!))
        .find((text) => text !== null) ?? null,
    describe: (text) => `${text}\n${printFunc(func)}`,
  };
}

function sentinel(dtype: DType, length: number): KernelArray {
  const array = newArray(dtype, length) as KernelArray;
  bytesOf(array).fill(0xa5);
  return array;
}

function difference(name: string, dtype: DType, actual: KernelArray, expected: TypedArray): string | null {
  const [found, wanted] = [valuesOf(dtype, actual), valuesOf(dtype, expected)];
  const at = wanted.findIndex((value, index) => !Object.is(value, found[index]));
  return at < 0 ? null : `${name}[${at}] is ${found[at]}, the interpreter gives ${wanted[at]}`;
}

/** Values that meet the corners: signs, zeros, ties, extremes. */
const samples = [
  0, 1, -1, 2, 3, -3, 0.5, 2.5, -2.5, 100, 127, -128, 255, 300, 65504, 1e-6, -7.75, 2147483647, 1e10, -0,
];

function sampled({ dtype, shape }: Buffer, salt: number): KernelArray {
  const array = newArray(dtype, shape[0]!) as KernelArray;
  for (let at = 0; at < array.length; at++) {
    array[at] =
      dtype === "bool" ? Number((at * 5 + salt) % 3 === 0) : encode(dtype, samples[(at * 7 + salt) % samples.length]!);
  }
  return array;
}
