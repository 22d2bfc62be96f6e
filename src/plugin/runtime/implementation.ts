// The seam inside the runtime: what `createKernel` asks of the addon, the WASM module or the loops.

import type { KernelTensorInfo, Twin, TypedArray } from "../../compiler/index.ts";
import type { KernelFacts } from "./facts.ts";

export type Arrays = readonly TypedArray[];

/** A tensor of a kernel, and what holds its elements. */
export interface RuntimeTensor extends KernelTensorInfo {
  /** Number of elements. */
  readonly length: number;
  readonly array: new (length: number) => TypedArray;
}

/** Data and services that implementations get of their kernel. */
export interface ModuleContext {
  readonly facts: KernelFacts;
  /** All tensors in the order of the operator: inputs, then outputs. */
  readonly tensors: readonly RuntimeTensor[];
  readonly constants: readonly RuntimeTensor[];
  /** Tensors that are no constants, in order. */
  readonly others: readonly RuntimeTensor[];
  /** Adds to `info.twinReason`. */
  explain(reason: string): void;
}

/** A kernel with memory of its own, and with constants. */
export interface Instance {
  /**
   * Takes constants. Kernels without constants are never told any.
   *
   * @param isLast whether no other ones will follow; else they are those of the next `bind` alone
   */
  set(constants: Arrays, isLast: boolean): void;
  /** An array for each tensor, where the kernel reads and writes. */
  buffers(): Arrays;
  /**
   * Returns a function that runs the kernel on these arrays (checked, one for each of the other tensors). It is valid
   * until the next `bind` or `set`.
   */
  bind(arrays: Arrays): () => void;
  /**
   * Runs off the event loop and returns outputs of its own. Takes the memory of the inputs.
   *
   * @param constants null: those of `set`
   */
  async(inputs: Arrays, constants: Arrays | null): Promise<Arrays>;
}

export interface Implementation {
  /** Name in `info.twin`: for a back end that is not ours, the name of that. */
  readonly kind: Twin | (string & {});
  open(): Instance;
}

/** A way to an implementation; null: it cannot be had here, and the context knows why. */
export interface Loader {
  now(): Implementation | null;
  soon(): Promise<Implementation | null>;
  /** Whether `now` has to fail before `soon` has ended: in a browser a file may not have arrived yet. */
  mustWait(): boolean;
}

export type Way = (context: ModuleContext) => Loader;

/** Fresh outputs of the tensors that follow the inputs. */
export const newOutputs = (tensors: readonly RuntimeTensor[], inputs: Arrays): Arrays =>
  tensors.slice(inputs.length).map(({ array, length }) => new array(length));
