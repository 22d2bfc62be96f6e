// The program whose imports are checked on a GPU: a line of JSON for each kernel.

import { fromBf16Bits, fromF16Bits, toBf16Bits, toF16Bits } from "../../src/compiler/expr/float16.ts";
import type { AnyKernel, KernelTensorInfo, OnCuda, TypedArray } from "../../src/compiler/expr/kernel-type.ts";

type CudaKernel = AnyKernel & OnCuda;

const calls = 10;

const lengthOf = ({ shape }: KernelTensorInfo): number => shape.reduce((product, extent) => product * extent, 1);

/** Quarters from -1 to 1: their products are exact in all types. */
function valuesOf(tensor: KernelTensorInfo, salt: number): TypedArray {
  const numbers = Float32Array.from({ length: lengthOf(tensor) }, (_, at) => (((at * 7 + salt) % 9) - 4) / 4);
  if (tensor.dtype === "bf16") return Uint16Array.from(numbers, toBf16Bits);
  return tensor.dtype === "f16" ? Uint16Array.from(numbers, toF16Bits) : numbers;
}

function numbersOf(array: TypedArray, { dtype }: KernelTensorInfo): Float32Array {
  if (dtype === "bf16") return Float32Array.from(array, fromBf16Bits);
  return dtype === "f16" ? Float32Array.from(array, fromF16Bits) : Float32Array.from(array);
}

/** Returns the largest difference, in parts of the largest number. */
function apart(own: Float32Array, wanted: Float32Array): number {
  let [most, largest] = [0, 0];
  for (const [at, value] of wanted.entries()) {
    most = Math.max(most, Math.abs(own[at]! - value));
    largest = Math.max(largest, Math.abs(value));
  }
  return most / (largest || 1);
}

async function medianMs(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return Number(times.sort((a, b) => a - b)[calls >> 1]!.toFixed(3));
}

async function rowOf(kernel: CudaKernel): Promise<Readonly<Record<string, unknown>>> {
  const { op, parameters, target, tensors, errorBound } = kernel.info;
  const inputs = tensors.filter(({ role }) => role === "input").map((tensor, at) => valuesOf(tensor, at));
  const output = tensors.at(-1)!;
  const wanted = numbersOf(kernel(...inputs) as unknown as TypedArray, output);
  await kernel.ready();
  const first = await kernel.async(...inputs);
  const { adapter, reason } = kernel.info.gpu;
  const asyncMs = await medianMs(() => kernel.async(...inputs));
  const twinMs = await medianMs(() => kernel(...inputs));
  const row = {
    op,
    parameters,
    target,
    adapter,
    reason,
    asyncMs,
    twinMs,
    first: apart(numbersOf(first, output), wanted),
  };
  try {
    const on = await kernel.on();
    const buffers = tensors.map(({ name }, at) => on.buffer(name, inputs[at] as Float32Array | undefined));
    const stream = on.device.stream();
    const chainMs = await medianMs(async () => {
      for (let run = 0; run < calls; run++) on.encode(stream, ...buffers);
      await stream.wait();
    });
    const chain = apart(numbersOf(await on.read(output.name, buffers.at(-1)!), output), wanted);
    return {
      ...row,
      msOfRun: chainMs / calls,
      chain,
      isRight: row.first <= 8 * errorBound! && chain <= 8 * errorBound!,
    };
  } catch (error) {
    return { ...row, isRight: false, failure: (error as Error).message };
  }
}

/** Prints a row for each kernel. Returns the exit code: 1 where one is wrong, or no GPU runs it. */
export async function checkImports(kernels: readonly CudaKernel[]): Promise<number> {
  const rows: boolean[] = [];
  for (const kernel of kernels) {
    const row = await rowOf(kernel);
    rows.push(row.isRight === true);
    console.log(JSON.stringify(row));
  }
  return rows.every(Boolean) ? 0 : 1;
}
