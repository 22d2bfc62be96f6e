// WasmSource → a kernel that can be called: an instance with its own memory, and typed arrays on the parameters in it.

import { type ArrayOf, arrayTypes, type DType, type KernelParameter, type WasmSource } from "../../compiler/index.ts";
import { arrayAt } from "./array-at.ts";
import { openWasm } from "./wasm-instance.ts";

export type KernelArray = ArrayOf<DType>;

export interface WasmKernel {
  readonly parameters: readonly KernelParameter[];
  /** Runs the kernel on what the memory holds now. */
  run(): void;
  /** Returns the parameters in the memory, in order: fill the inputs, `run()`, read the outputs, without a copy. */
  buffers(): readonly KernelArray[];
  /**
   * Copies inputs in, for all later calls that give null in their place. One array a parameter, or null.
   *
   * @throws RangeError or TypeError that names the argument, before anything is written.
   */
  fill(args: readonly (KernelArray | null)[]): void;
  /**
   * Copies the inputs in, runs, copies the outputs back. One array a parameter, in order; null leaves the memory of that
   * parameter as it is.
   *
   * @throws RangeError or TypeError that names the argument, before anything is written.
   */
  call(args: readonly (KernelArray | null)[]): void;
}

/**
 * Compiles and instantiates on the calling thread.
 *
 *     const gemm = loadWasm(generateWasm(func, { relaxed: false }));
 *     gemm.call([a, b, c]);
 *
 * @throws WebAssembly.CompileError where the engine lacks SIMD128, or relaxed SIMD if the source is relaxed.
 */
export function loadWasm(source: WasmSource): WasmKernel {
  const { offsets, parameters } = source;
  const { memory, run } = openWasm(source);
  const views = parameters.map(({ dtype, length }, index) =>
    arrayAt(dtype, memory.buffer, offsets[index] ?? 0, length),
  );
  return {
    parameters,
    run,
    buffers: () => views,
    fill(args) {
      checkArguments(parameters, args);
      copyWhere("input", parameters, args, views);
    },
    call(args) {
      checkArguments(parameters, args);
      copyWhere("input", parameters, args, views);
      run();
      copyWhere("output", parameters, views, args);
    },
  };
}

function copyWhere(
  role: KernelParameter["role"],
  parameters: readonly KernelParameter[],
  from: readonly (KernelArray | null)[],
  to: readonly (KernelArray | null)[],
): void {
  parameters.forEach((parameter, index) => {
    const source = from[index];
    if (parameter.role === role && source) to[index]?.set(source);
  });
}

function checkArguments(parameters: readonly KernelParameter[], args: readonly (KernelArray | null)[]): void {
  if (args.length !== parameters.length) {
    throw new TypeError(`${args.length} arguments, the kernel takes ${parameters.length}`);
  }
  parameters.forEach(({ name, dtype, length }, index) => {
    const array = args[index];
    if (array === null) return;
    if (!(array instanceof arrayTypes[dtype])) throw new TypeError(`${name} has to be a ${arrayTypes[dtype].name}`);
    if (array.length !== length) throw new RangeError(`${name} has ${array.length} elements, ${length} are wanted`);
  });
}
