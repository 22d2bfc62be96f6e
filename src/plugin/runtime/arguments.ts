// The arguments of a call: how many, of what kind and length, and that no output shares memory with another array.
//
// Kind and length are read with the getters of %TypedArray%.prototype: own properties of an array cannot deceive them.

import type { TypedArray } from "../../compiler/index.ts";
import { arrayNames, asGiven, seenAs } from "./halves.ts";
import type { Arrays, RuntimeTensor } from "./implementation.ts";

const getter = <Value>(key: PropertyKey): ((this: unknown) => Value) => {
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
  return Object.getOwnPropertyDescriptor(typedArray, key)!.get as (this: unknown) => Value;
};
const kindOf = /* @__PURE__ */ getter<string | undefined>(Symbol.toStringTag);
export const lengthOf: (this: unknown) => number = /* @__PURE__ */ getter<number>("length");
const bufferOf = /* @__PURE__ */ getter<ArrayBufferLike>("buffer");
const startOf = /* @__PURE__ */ getter<number>("byteOffset");
const bytesOf = /* @__PURE__ */ getter<number>("byteLength");

const article = (noun: string): string => (/^[aeio]/i.test(noun) ? "an " : "a ") + noun;

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return article(typeof value);
  return article(kindOf.call(value) ?? value.constructor?.name ?? "object");
}

function isDetached(array: unknown): boolean {
  try {
    return new Uint8Array(bufferOf.call(array)).length < 0;
  } catch {
    return true;
  }
}

/** "a Float32Array of 8 elements, f32[2, 4]" */
const wantedOf = (tensor: RuntimeTensor): string =>
  `${article(arrayNames(tensor))} of ${tensor.length} elements, ${tensor.dtype}[${tensor.shape.join(", ")}]`;

/**
 * An argument as the array that the kernel takes: pixels of a canvas, by themselves or in ImageData, are bytes; halves are their bits.
 * Both are the same memory by another name.
 */
function plainly(value: unknown, { dtype }: RuntimeTensor): unknown {
  if (dtype === "u8") {
    const pixels = kindOf.call(value) === undefined ? (value as { data?: unknown } | null | undefined)?.data : value;
    return kindOf.call(pixels) === "Uint8ClampedArray" ? seenAs(Uint8Array, pixels as TypedArray) : value;
  }
  if (dtype === "f16" && kindOf.call(value) === "Float16Array") return seenAs(Uint16Array, value as TypedArray);
  return value;
}

/** Whether the array is of the tensor's kind, whichever realm it is from, and of its length. */
const fits = (array: unknown, { array: type, length }: RuntimeTensor): boolean =>
  kindOf.call(array) === type.name && lengthOf.call(array) === length;

function refuse(name: string, value: unknown, tensor: RuntimeTensor): never {
  const must = `${name} must be ${wantedOf(tensor)}`;
  if (kindOf.call(value) !== tensor.array.name) throw new TypeError(`${must}; got ${describe(value)}`);
  if (isDetached(value)) throw new TypeError(`${must}; its buffer is detached`);
  throw new RangeError(`${must}; got ${lengthOf.call(value)} elements`);
}

/**
 * A value as the array that the kernel takes.
 *
 * @param name what messages call it, "gemm.pack: B"
 * @throws TypeError, RangeError
 */
export function arrayFor(value: unknown, tensor: RuntimeTensor, name: string): TypedArray {
  const array = plainly(value, tensor);
  if (!fits(array, tensor)) refuse(name, array, tensor);
  return array as TypedArray;
}

/** The arguments of calls of a kernel, or of what `pack` gives. */
export interface Arguments {
  /** Number of inputs, which come first. */
  readonly inputs: number;
  /**
   * Checks them, and appends outputs to `given` if it has none.
   *
   * @returns the arrays that the kernel takes, in the order of the tensors
   * @throws TypeError, RangeError that name the argument
   */
  take(given: unknown[]): Arrays;
  /** The outputs among the arguments: one array, or an object by name. */
  resultOf(given: readonly unknown[]): unknown;
}

export function createArguments(name: string, tensors: readonly RuntimeTensor[]): Arguments {
  const inputs = tensors.filter(({ role }) => role === "input").length;
  const outputs = tensors.slice(inputs);

  const nameOf = (at: number): string => `${name}: argument ${at + 1} (${tensors[at]!.name})`;
  function refuseCount(count: number): never {
    const list = (some: readonly RuntimeTensor[]): string => some.map((tensor) => tensor.name).join(", ");
    const wanted = `${list(tensors.slice(0, inputs))} and then none or all of ${list(outputs)}`;
    throw new TypeError(`${name} takes ${wanted}; got ${count} arguments`);
  }
  function requireApart(at: number, arrays: Arrays): void {
    const output = arrays[at]!;
    const buffer = bufferOf.call(output);
    const end = startOf.call(output) + bytesOf.call(output);
    for (let other = 0; other < at; other++) {
      const array = arrays[other]!;
      if (bufferOf.call(array) !== buffer || startOf.call(array) >= end) continue;
      if (startOf.call(array) + bytesOf.call(array) <= startOf.call(output)) continue;
      const whose = `argument ${other + 1} (${tensors[other]!.name})`;
      throw new RangeError(`${nameOf(at)} overlaps ${whose}; an output needs memory of its own`);
    }
  }

  return {
    inputs,
    take(given) {
      const hasOutputs = given.length === tensors.length;
      if (!hasOutputs && given.length !== inputs) refuseCount(given.length);
      if (!hasOutputs) for (const tensor of outputs) given.push(asGiven(new tensor.array(tensor.length), tensor));
      const arrays = given.map((value, at) => plainly(value, tensors[at]!)) as TypedArray[];
      for (const [at, tensor] of tensors.entries())
        if (!fits(arrays[at], tensor)) refuse(nameOf(at), arrays[at], tensor);
      if (hasOutputs) for (let at = inputs; at < tensors.length; at++) requireApart(at, arrays);
      return arrays;
    },
    resultOf(given) {
      if (outputs.length === 1) return given[inputs];
      return Object.fromEntries(outputs.map((tensor, at) => [tensor.name, given[inputs + at]]));
    },
  };
}
