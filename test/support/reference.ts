// An operator with inputs and the right answers to them, and whether what a loop function, a WASM module or an addon
// makes of the inputs is right. Outputs are filled with a sentinel first, so an element that is not written is wrong.

import {
  type ComputeDef,
  evaluate,
  fromCompute,
  interpret,
  type JsKernel,
  type KernelParameter,
  type LoopFunc,
  parametersOf,
  type TypedArray,
  unsharedFlag,
  type WasmSharing,
  type WasmSource,
} from "../../src/compiler/index.ts";
import { accessFindings, printFinding } from "../../src/compiler/ir/access-findings.ts";
import type { NativeKernels } from "../../src/native/load/load-native.ts";
import { loadWasm, type KernelArray as MemoryArray } from "../../src/native/load/load-wasm.ts";
import { type ExpectedOutput, expectOutput, mismatch } from "../../src/native/runner/compare.ts";
import type { KernelArray, OutputBound } from "../../src/native/runner/protocol.ts";
import { checkPlan } from "../../src/tuner/check/check-output.ts";
import { type InputValues, testInputs } from "../../src/tuner/check/inputs.ts";
import type { Rng } from "../../src/tuner/support/rng.ts";

export interface Reference {
  readonly op: ComputeDef;
  readonly naive: LoopFunc;
  /** Inputs in calling order. */
  readonly inputs: readonly KernelArray[];
  readonly inputsByName: Readonly<Record<string, TypedArray>>;
  readonly expected: readonly ExpectedOutput[];
}

/** Values of the inputs, and allowed errors of the results; default: those of a candidate's check. */
export interface ReferenceOptions {
  readonly values: InputValues;
  readonly bounds: readonly OutputBound[];
}

export function referenceOf(op: ComputeDef, rng: Rng, options: ReferenceOptions = checkPlan(op)): Reference {
  return referenceOn(op, testInputs(op.inputs, options.values, rng.unit) as KernelArray[], options.bounds);
}

/** The right answers to these inputs, in calling order. */
export function referenceOn(
  op: ComputeDef,
  inputs: readonly KernelArray[],
  bounds: readonly OutputBound[] = op.outputs.map(() => ({ kind: "exact" })),
): Reference {
  const inputsByName = Object.fromEntries(op.inputs.map(({ name }, at) => [name, inputs[at]!]));
  const results = evaluate(op, inputsByName);
  const naive = fromCompute(op);
  const outputs = parametersOf(naive.buffers).filter(({ role }) => role === "output");
  const expected = outputs.map((parameter, at) =>
    expectOutput(parameter, results[parameter.name] as KernelArray, bounds[at]!),
  );
  return { op, naive, inputs, inputsByName, expected };
}

type Outputs = (parameter: KernelParameter) => KernelArray;

/** Returns the mistake in these outputs; null: they are right. */
export const firstMismatch = ({ expected }: Reference, outputs: Outputs): string | null =>
  expected.map((each) => mismatch(each, outputs(each.parameter))).find((text) => text !== null) ?? null;

/** Returns the mistake in the results of interpreting `func`; null: they are right. An access outside a buffer is a mistake too. */
export function wrongNest(reference: Reference, func: LoopFunc): string | null {
  try {
    const results = interpret(func, reference.inputsByName);
    return firstMismatch(reference, ({ name }) => results[name] as KernelArray);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the races and the accesses outside of buffers of the threads that run `func`; null: there are none. */
export function wrongAccesses({ inputsByName }: Reference, func: LoopFunc): string | null {
  const { findings } = accessFindings(func, inputsByName);
  return findings.length === 0 ? null : findings.map(printFinding).join("\n");
}

/** What `wrongNest` returns, of a function that takes what another computes of some inputs. */
export function wrongPrepared(reference: Reference, prepare: LoopFunc, run: LoopFunc): string | null {
  try {
    const prepared = interpret(prepare, reference.inputsByName);
    const results = interpret(run, { ...reference.inputsByName, ...prepared });
    return firstMismatch(reference, ({ name }) => results[name] as KernelArray);
  } catch (error) {
    return (error as Error).message;
  }
}

export function wrongJs(reference: Reference, run: JsKernel): string | null {
  const outputs = sentinels(reference);
  run(...reference.inputs, ...outputs.values());
  return firstMismatch(reference, ({ name }) => outputs.get(name)!);
}

export function wrongWasm(reference: Reference, source: WasmSource): string | null {
  const outputs = sentinels(reference);
  const arrays = [...reference.inputs, ...outputs.values()] as readonly MemoryArray[];
  if (source.sharing) callInDisorder(source, source.sharing, arrays);
  else loadWasm(source).call(arrays);
  return firstMismatch(reference, ({ name }) => outputs.get(name)!);
}

/** A call of a kernel whose loops threads share: iterations backwards, each as another thread's. */
function callInDisorder({ bytes, offsets }: WasmSource, sharing: WasmSharing, arrays: readonly MemoryArray[]): void {
  const { pages, flagAt, threads } = sharing;
  const module = new WebAssembly.Module(bytes.with(flagAt, unsharedFlag));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const share = (part: number, iterations: number): void => {
    for (let at = iterations - 1; at >= 0; at--) functions[`part${part}`]!(at, at % threads);
  };
  const { exports } = new WebAssembly.Instance(module, { kernel: { memory, share } });
  const functions = exports as Readonly<Record<string, (at?: number, slot?: number) => void>>;
  const all = new Uint8Array(memory.buffer);
  const placeOf = (array: MemoryArray, at: number) => all.subarray(offsets[at], offsets[at]! + array.byteLength);
  for (const [at, array] of arrays.entries()) placeOf(array, at).set(bytesOf(array));
  functions.run!();
  for (const [at, array] of arrays.entries()) bytesOf(array).set(placeOf(array, at));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: MemoryArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Kernel `index` of an addon. */
export function wrongNative(reference: Reference, kernels: NativeKernels, index: number): string | null {
  const outputs = sentinels(reference);
  kernels.call(index, ...reference.inputs, ...outputs.values());
  return firstMismatch(reference, ({ name }) => outputs.get(name)!);
}

const sentinels = ({ expected }: Reference): Map<string, KernelArray> =>
  new Map(expected.map(({ parameter, sentinel }) => [parameter.name, sentinel.slice()]));
