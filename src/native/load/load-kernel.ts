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
  const whole = run.bind(new Map());
  if (!artifact.packing) return { call: whole, ...(bench && { bench }) };
  const { constants } = artifact.packing;
  const prepared = preparation(prepare);
  const results = new Set(prepare?.parameters.filter(isOutput).map(({ name }) => name));
  const own = run.parameters.filter(({ name }) => !results.has(name));
  const constant = own.filter(({ name, role }) => role === "input" && constants.includes(name));
  return {
    call(...arrays) {
      checkCount(own, arrays);
      const given = new Map(own.map(({ name }, at) => [name, arrays[at]!]));
      const all = new Map([...given, ...prepared(given)]);
      whole(...run.parameters.map(({ name }) => all.get(name)!));
    },
    pack(values) {
      const known = constantsOf(constant, values);
      return { call: run.bind(new Map([...known, ...prepared(known)])) };
    },
  };
}

/** Arrays by name of parameter. */
type Known = ReadonlyMap<string, KernelArray>;

/** A function of the artifact. */
interface BoundLater {
  readonly parameters: readonly KernelParameter[];
  /** The function of the other parameters, in order; `known` are inputs. */
  bind(known: Known): (...others: Arrays) => void;
}

interface Functions {
  readonly run: BoundLater;
  readonly prepare: BoundLater | null;
  readonly bench?: LoadedKernel["bench"];
}

const isOutput = ({ role }: KernelParameter): boolean => role === "output";

/** The constants, and perhaps more → what is computed of them, in arrays of its own. */
function preparation(prepare: BoundLater | null): (known: Known) => Known {
  if (!prepare) return () => new Map();
  const { parameters } = prepare;
  const run = prepare.bind(new Map());
  return (known) => {
    const results = new Map(parameters.filter(isOutput).map((it) => [it.name, newArray(it)]));
    run(...parameters.map(({ name }) => results.get(name) ?? known.get(name)!));
    return results;
  };
}

/** The memory of a WASM instance starts on a page: vectors of what is laid out lie in one cache line each. */
function newArray({ dtype, length }: KernelParameter): KernelArray {
  const { buffer } = new WebAssembly.Memory({ initial: Math.ceil((length * byteSize[dtype]) / 65_536) });
  return new arrayTypes[dtype](buffer, 0, length);
}

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
      kernel.fill(module.parameters.map(({ name }) => known.get(name) ?? null));
      // What is known is in the module's memory for all calls.
      return (...others) =>
        kernel.call(argumentsOf(module.parameters, others, (name) => (known.has(name) ? null : undefined)));
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
    return {
      parameters,
      bind:
        (known) =>
        (...others) =>
          kernels.call(index, ...argumentsOf(parameters, others, (name) => known.get(name))),
    };
  };
  const prepare = packing?.prepare ?? null;
  return { run: later(0), prepare: prepare === null ? null : later(prepare), bench: benchOf(kernels) };
}

const benchOf = ({ bench }: NativeKernels): LoadedKernel["bench"] =>
  bench && ((arrays, samples, maxNs, inner) => bench(0, arrays, samples, maxNs, inner));

/** One argument a parameter: as `given` says, or else the next of the others. */
function argumentsOf<Given extends KernelArray | null>(
  parameters: readonly KernelParameter[],
  others: Arrays,
  given: (name: string) => Given | undefined,
): readonly (KernelArray | Given)[] {
  const isOpen = ({ name }: KernelParameter): boolean => given(name) === undefined;
  checkCount(parameters.filter(isOpen), others);
  const rest = others.values();
  return parameters.map((it) => (isOpen(it) ? rest.next().value! : (given(it.name) as Given)));
}

function checkCount(wanted: readonly KernelParameter[], given: Arrays): void {
  if (wanted.length === given.length) return;
  const names = wanted.map(({ name }) => name).join(", ");
  throw new TypeError(`${given.length} arguments, the kernel takes ${wanted.length}: ${names}`);
}
