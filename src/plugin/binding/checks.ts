// The argument checks of an emitted module: text of `check(a0, a1, …)`, unrolled over the kernel's tensors.
//
// A call costs tens of nanoseconds, so the checks that pass are straight-line code and everything else is in `refuse`.
// Kind and length are read with the getters of %TypedArray%.prototype: own properties of an array cannot deceive them.

import { arrayTypes, type KernelParameter } from "../../compiler/index.ts";

const support = `
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const getter = (key) => Object.getOwnPropertyDescriptor(typedArray, key).get;
  const kindOf = getter(Symbol.toStringTag), lengthOf = getter("length"), bufferOf = getter("buffer");
  const startOf = getter("byteOffset"), bytesOf = getter("byteLength");

  const article = (noun) => (/^[aeio]/i.test(noun) ? "an " : "a ") + noun;
  const describe = (value) => {
    if (value === null || value === undefined) return String(value);
    if (typeof value !== "object") return article(typeof value);
    return article(kindOf.call(value) ?? value.constructor?.name ?? "object");
  };
  const isDetached = (array) => {
    try {
      return new Uint8Array(bufferOf.call(array)).length < 0;
    } catch {
      return true;
    }
  };
  const argument = (i) => name + ": argument " + (i + 1) + " (" + tensors[i].name + ")";
  function refuse(i, value) {
    const { array, length, dtype, shape } = tensors[i];
    const must = argument(i) + " must be " + article(array) + " of " + length + " elements, " + dtype + "[" + shape.join(", ") + "]";
    if (kindOf.call(value) !== array) throw new TypeError(must + "; got " + describe(value));
    if (isDetached(value)) throw new TypeError(must + "; its buffer is detached");
    throw new RangeError(must + "; got " + lengthOf.call(value) + " elements");
  }
  function apart(i, a, j, b) {
    if (startOf.call(a) < startOf.call(b) + bytesOf.call(b) && startOf.call(b) < startOf.call(a) + bytesOf.call(a)) {
      throw new RangeError(argument(i) + " overlaps argument " + (j + 1) + " (" + tensors[j].name + "); an output needs memory of its own");
    }
  }
  function refuseCount(count) {
    const list = (role) => tensors.filter((tensor) => tensor.role === role).map((tensor) => tensor.name).join(", ");
    throw new TypeError(name + " takes " + list("input") + " and then none or all of " + list("output") + "; got " + count + " arguments");
  }
`;

/** Pixels of a canvas, by themselves or in ImageData, are bytes: the same memory by another name. */
const pixels = `
  const asBytes = (value) => {
    const pixels = kindOf.call(value) === undefined ? value?.data : value;
    if (kindOf.call(pixels) !== "Uint8ClampedArray") return value;
    return new Uint8Array(bufferOf.call(pixels), startOf.call(pixels), lengthOf.call(pixels));
  };
`;

/** Pairs that must not share memory: each output with every argument before it. */
function outputPairs(tensors: readonly KernelParameter[]): readonly (readonly [number, number])[] {
  return tensors.flatMap(({ role }, i) =>
    role === "output" ? tensors.slice(0, i).map((_, j) => [i, j] as const) : [],
  );
}

/**
 * Text that defines `check`, `refuseCount`, for tensors of u8 `asBytes`, and what they need; expects `name` and `tensors` in scope.
 *
 * The overlap test reads `.buffer`, which costs 20 ns each in V8, the rest 1 ns each. So the arrays that passed last are
 * remembered, but only to the end of the current job: a kernel keeps nobody's memory alive.
 */
export function checksText(tensors: readonly KernelParameter[]): string {
  const each = (text: (i: number) => string): readonly string[] => tensors.map((_, i) => text(i));
  const kinds = tensors.map(
    ({ dtype, length }, i) =>
      `    if (kindOf.call(a${i}) !== "${arrayTypes[dtype].name}" || lengthOf.call(a${i}) !== ${length}) refuse(${i}, a${i});`,
  );
  const overlaps = outputPairs(tensors).map(
    ([i, j]) => `    if (bufferOf.call(a${i}) === bufferOf.call(a${j})) apart(${i}, a${i}, ${j}, a${j});`,
  );
  return `${support}${tensors.some(({ dtype }) => dtype === "u8") ? pixels : ""}
  let ${each((i) => `last${i}`).join(", ")};
  const forget = () => void (${each((i) => `last${i} = `).join("")}undefined);
  function check(${each((i) => `a${i}`).join(", ")}) {
${kinds.join("\n")}
    if (${each((i) => `a${i} === last${i}`).join(" && ")}) return;
${overlaps.join("\n")}
    if (last0 === undefined) queueMicrotask(forget);
    ${each((i) => `last${i} = a${i};`).join(" ")}
  }
`;
}
