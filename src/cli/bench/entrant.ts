// Entrants of a bench: the function to call, and the arrays that its results are put into. Runs in Node and in pages,
// so it uses nothing that only one of them has.

import type { KernelParameter, TypedArray } from "../../compiler/index.ts";
import type { Kernel, Packable, PackedKernel } from "../../plugin/options/types.ts";
import type { Timed } from "./rounds.ts";

/** A function that can be measured, and whose results can be checked. */
export interface Entrant extends Timed {
  readonly name: string;
  /** Calls it so that its results are checked; default: `call`. */
  readonly checked?: () => Promise<void>;
  /** Arrays that the results are put into, in order. */
  readonly outputs: readonly TypedArray[];
}

/** An entrant that cannot take part here, and why. */
export interface Absent {
  readonly name: string;
  readonly why: string;
}

/** Exports of a module that a build emitted. */
export type EmittedKernel = Kernel & Partial<Packable<Record<string, TypedArray>, PackedKernel>>;

/** Inputs by name. */
export type NamedInputs = ReadonlyMap<string, TypedArray>;

/** Tensors and constants of a kernel, as a caller sees them. */
export interface KernelShape {
  readonly tensors: readonly Pick<KernelParameter, "name" | "role">[];
  readonly constants: readonly string[];
}

/** View of halves as their bits, which are measured and compared. */
export const bitsOf = (array: TypedArray): TypedArray =>
  array[Symbol.toStringTag].startsWith("Float16")
    ? new Uint16Array(array.buffer as ArrayBuffer, array.byteOffset, array.length)
    : array;

/** The kernel with its constants packed, where it has any, and the tensors that its calls take. */
export function packedKernel<Shape extends KernelShape>(
  kernel: EmittedKernel,
  { tensors, constants }: Shape,
  inputs: NamedInputs,
): { readonly callable: EmittedKernel | PackedKernel; readonly taken: Shape["tensors"] } {
  if (!kernel.pack) return { callable: kernel, taken: tensors };
  const packed = Object.fromEntries(constants.map((constant) => [constant, inputs.get(constant)!]));
  return { callable: kernel.pack(packed), taken: tensors.filter(({ name }) => !constants.includes(name)) };
}

/** Calls a kernel on its own arrays, with constants packed before: no call copies anything. */
export function emittedEntrant(name: string, kernel: EmittedKernel, shape: KernelShape, inputs: NamedInputs): Entrant {
  const { callable, taken } = packedKernel(kernel, shape, inputs);
  const buffers = callable.buffers();
  const arrays = taken.map((tensor) => bitsOf(buffers[tensor.name]!));
  for (const [at, { name }] of taken.entries())
    if (inputs.has(name)) (arrays[at]! as Float64Array).set(inputs.get(name)!);
  const outputs = arrays.filter((_, at) => taken[at]!.role === "output");
  return { name, call: () => callable(...arrays), outputs };
}
