// Variables of a text outside its functions: arrays that are bound, and memory of groups. Launches that take an array alike share a
// variable; one that takes it as vectors, or does not write it, has one of its own at the same binding.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { ceilDiv, product } from "../../support/integer-math.ts";
import type { BufferForm } from "./buffer-form.ts";

export interface Declarations {
  /** Name of a buffer, for a launch that takes it in a form. */
  nameOf(form: BufferForm, entry: string): string;
  /** Numbers of the bound arrays among these buffers, ascending. */
  arraysOf(buffers: readonly string[]): readonly number[];
  /** Texts of all variables that were named. */
  texts(): readonly string[];
}

/** Buffers that are bound, in the order of their numbers: parameters, then scratch memory. */
export const boundBuffers = ({ buffers }: LoopFunc): LoopFunc["buffers"] => [
  ...buffers.filter(({ memory }) => memory === "caller"),
  ...buffers.filter(({ memory }) => memory === "workspace"),
];

export function createDeclarations(func: LoopFunc, names: (irName: string) => string): Declarations {
  const numbers = new Map(boundBuffers(func).map(({ name }, at) => [name, at]));
  const known = new Map<string, { readonly name: string; readonly text: string }>();
  const first = new Map<string, string>();
  return {
    nameOf(form, entry) {
      const { name } = form.buffer;
      if (form.buffer.memory === "register") return names(name);
      const number = numbers.get(name);
      const access = form.isStored ? "read_write" : "read";
      // Memory of a group is a launch's own, so that none asks for what only another needs.
      const key = number === undefined ? `${entry} ${name}` : `${name} ${access} ${form.type}`;
      const found = known.get(key);
      if (found) return found.name;
      const own = names(first.has(name) ? key : name);
      first.set(name, own);
      const text =
        number === undefined
          ? `var<workgroup> ${own}: array<${form.type}, ${ceilDiv(product(form.buffer.shape), form.width)}>;`
          : `@group(0) @binding(${number}) var<storage, ${access}> ${own}: array<${form.type}>;`;
      known.set(key, { name: own, text });
      return own;
    },
    arraysOf: (buffers) => buffers.flatMap((name) => numbers.get(name) ?? []).sort((a, b) => a - b),
    texts: () => [...known.values()].map(({ text }) => text),
  };
}
