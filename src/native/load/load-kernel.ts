// Artifact → functions to call: the kernel on arrays of the caller and, where it has constant inputs, the kernel with these
// packed once for many calls.

import { byteSize, DiagnosticError, type KernelParameter } from "../../compiler/index.ts";
import type { Artifact, NativeArtifact, WasmArtifact } from "../artifact.ts";
import { loadNative, type NativeKernels } from "./load-native.ts";
import { arrayTypes, type KernelArray, loadWasm } from "./load-wasm.ts";

type Arrays = readonly KernelArray[];

/** A kernel whose constant inputs are packed. */
export interface PackedKernel {
  /** The other inputs, then the outputs, in the order of the operator. */
  call(...arrays: Arrays): void;
}

/** A kernel that can be called. */
export interface LoadedKernel {
  /** Inputs, then outputs, in the order of the operator. What it takes of constant inputs is computed in each call. */
  call(...arrays: Arrays): void;
  /**
   * Computes once what the kernel takes of its constant inputs, other layouts for one. The arrays have to stay as they
   * are. Only of kernels that were built with `constants`.
   *
   * @throws TypeError for a constant that is missing or is none; what `call` throws for arrays that do not fit
   * @example const layer = load(artifact).pack({ B: weights }); layer.call(A, C);
   */
  pack?(constants: Readonly<Record<string, KernelArray>>): PackedKernel;
  /** Nanoseconds of one run, one number a sample; only of addons built with `bench`. */
  bench?(arrays: Arrays, samples: number, maxNs: number, inner?: number): Float64Array;
}

/** @throws DiagnosticError `target.unavailable` */
export function loadKernel(artifact: Artifact): LoadedKernel {
  const { run, prepare, bench } = artifact.kind === "wasm" ? wasmFunctions(artifact) : nativeFunctions(artifact);
  if (!artifact.packing) return { call: run.bind(new Map()), ...(bench && { bench }) };
  const { constants } = artifact.packing;
  const results = new Set(prepare?.parameters.filter(isOutput).map(({ name }) => name));
  const own = run.parameters.filter(({ name }) => !results.has(name));
  const isConstant = ({ name, role }: KernelParameter): boolean => role === "input" && constants.includes(name);
  const packed = (known: Known) => run.bind(new Map([...known, ...prepared(prepare, known)]));
  return {
    call(...arrays) {
      checkCount(own, arrays);
      const known = new Map(own.flatMap((it, at) => (isConstant(it) ? [[it.name, arrays[at]!]] : [])));
      packed(known)(...arrays.filter((_, at) => !isConstant(own[at]!)));
    },
    pack: (values) => ({ call: packed(constantsOf(own.filter(isConstant), values)) }),
  };
}

/** Arrays by name of parameter. */
type Known = ReadonlyMap<string, KernelArray>;

/** A function of the artifact. */
interface BoundLater {
  readonly parameters: readonly KernelParameter[];
  /** The function of the other parameters, in order. */
  bind(known: Known): (...others: Arrays) => void;
}

interface Functions {
  readonly run: BoundLater;
  readonly prepare: BoundLater | null;
  readonly bench?: LoadedKernel["bench"];
}

const isOutput = ({ role }: KernelParameter): boolean => role === "output";

function prepared(prepare: BoundLater | null, known: Known): Known {
  const outputs = prepare?.parameters.filter(isOutput) ?? [];
  const results = new Map(outputs.map((it) => [it.name, newArray(it)]));
  prepare?.bind(new Map([...known, ...results]))();
  return results;
}

const newArray = ({ dtype, length }: KernelParameter): KernelArray =>
  new arrayTypes[dtype](new ArrayBuffer(length * byteSize[dtype]), 0, length);

function constantsOf(parameters: readonly KernelParameter[], values: Readonly<Record<string, KernelArray>>): Known {
  const names = parameters.map(({ name }) => name);
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is no constant of the kernel: ${names.join(", ")}`);
  const missing = names.find((name) => values[name] === undefined);
  if (missing !== undefined) throw new TypeError(`the constant ${missing} is missing`);
  return new Map(names.map((name) => [name, values[name]!]));
}

function wasmFunctions({ source, packing }: WasmArtifact): Functions {
  const later = (module: WasmArtifact["source"]): BoundLater => ({
    parameters: module.parameters,
    bind(known) {
      const kernel = loadWasm(module);
      // They are in the module's memory once and for all, but for results, which are copied out of it.
      kernel.fill(module.parameters.map((it) => (isOutput(it) ? null : (known.get(it.name) ?? null))));
      const given = (it: KernelParameter): KernelArray | null => (isOutput(it) ? (known.get(it.name) ?? null) : null);
      return (...others) => kernel.call(argumentsOf(module.parameters, known, others, given));
    },
  });
  return { run: later(source), prepare: packing?.prepare ? later(packing.prepare) : null };
}

function nativeFunctions({ path, kernels: sources, packing }: NativeArtifact): Functions {
  const loaded = loadNative(path, { features: sources[0]!.features });
  if (loaded.kind === "unavailable") {
    throw new DiagnosticError({
      code: "target.unavailable",
      message: loaded.reason,
      loc: null,
      hint: null,
      detail: null,
    });
  }
  const { kernels } = loaded;
  const later = (index: number): BoundLater => {
    const { parameters } = sources[index]!;
    const given = (known: Known) => (it: KernelParameter) => known.get(it.name) ?? null;
    const call = kernels.call as (index: number, ...args: readonly (KernelArray | null)[]) => void;
    return {
      parameters,
      bind:
        (known) =>
        (...others) =>
          call(index, ...argumentsOf(parameters, known, others, given(known))),
    };
  };
  const prepare = packing?.prepare ?? null;
  return { run: later(0), prepare: prepare === null ? null : later(prepare), bench: benchOf(kernels) };
}

const benchOf = ({ bench }: NativeKernels): LoadedKernel["bench"] =>
  bench && ((arrays, samples, maxNs, inner) => bench(0, arrays, samples, maxNs, inner));

/** One argument a parameter: those that are known as `given` says, the others in their order. */
function argumentsOf(
  parameters: readonly KernelParameter[],
  known: Known,
  others: Arrays,
  given: (parameter: KernelParameter) => KernelArray | null,
): readonly (KernelArray | null)[] {
  checkCount(
    parameters.filter(({ name }) => !known.has(name)),
    others,
  );
  const rest = others.values();
  return parameters.map((it) => (known.has(it.name) ? given(it) : rest.next().value!));
}

function checkCount(wanted: readonly KernelParameter[], given: Arrays): void {
  if (wanted.length === given.length) return;
  const names = wanted.map(({ name }) => name).join(", ");
  throw new TypeError(`${given.length} arguments, the kernel takes ${wanted.length}: ${names}`);
}
