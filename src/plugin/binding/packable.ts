// The calls of an emitted module whose operator has constant inputs: of the kernel, which packs them each time, and of what
// `pack` gives. Beneath both is an instance of a twin: `set(constants)`, then `run(…others)` as often as wanted.

import type { KernelParameter } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import { copiesOf, listOf, type Placed, placed, preludeText, resultText, takeResults } from "./calls.ts";
import { checksText } from "./checks.ts";

/** Tensors by whether they stay the same. */
export interface Sorted {
  readonly all: readonly Placed[];
  readonly constants: readonly Placed[];
  readonly others: readonly Placed[];
}

export function sorted({ tensors, constants }: CompiledKernel): Sorted {
  const all = placed(tensors);
  const isConstant = ({ tensor: { name, role } }: Placed): boolean => role === "input" && constants.includes(name);
  return { all, constants: all.filter(isConstant), others: all.filter((it) => !isConstant(it)) };
}

/**
 * What a parameter of the kernel itself is, by its place among the constants, among the others, or among the results of the
 * preparation.
 */
export type Source = readonly [kind: "constant" | "other" | "result", at: number];

export function sourcesOf(run: readonly KernelParameter[], { constants, others }: Sorted): readonly Source[] {
  const named = (all: readonly Placed[], name: string): number => all.findIndex(({ tensor }) => tensor.name === name);
  let results = 0;
  return run.map(({ name }): Source => {
    const [constant, other] = [named(constants, name), named(others, name)];
    if (constant >= 0) return ["constant", constant];
    return other >= 0 ? ["other", other] : ["result", results++];
  });
}

/** The constants that a preparation takes, by their places. */
export const takenBy = (prepare: readonly KernelParameter[], { constants }: Sorted): readonly number[] =>
  prepare
    .filter(({ role }) => role === "input")
    .map(({ name }) => constants.findIndex(({ tensor }) => tensor.name === name));

/** Text that defines `kernel`, `kernelAsync` and `pack`; expects what a twin defines, and `check` and `refuseCount`. */
export function packableText(kernel: CompiledKernel): string {
  const { all, constants, others } = sorted(kernel);
  return `  // For the calls that pack: one after another they need only one.
  let own = null;
  const instance = () => (own ??= (twin ?? load()).open());
  function kernel(${listOf(all)}) {
    ${preludeText(all)}
    check(${listOf(all)});
    instance().set([${listOf(constants)}], false);
    own.run(${listOf(others)});
    return ${resultText(all)};
  }
  // Works on copies: the caller's arrays may be moved or changed meanwhile without harm.
  async function kernelAsync(${listOf(all)}) {
    ${preludeText(all)}
    check(${listOf(all)});
    const inputs = [${copiesOf(others)}], constants = [${copiesOf(constants)}];
    await ready();
    const results = await instance().async(inputs, constants);
    ${takeResults(all)}
    return ${resultText(all)};
  }
${constantsText(constants)}${packText(others)}`;
}

function constantsText(constants: readonly Placed[]): string {
  const hasBytes = constants.some(({ tensor }) => tensor.dtype === "u8");
  return `  const constants = [${listOf(constants, tensorAt)}];
  function constantsOf(values) {
    const names = constants.map((constant) => constant.name);
    const unknown = Object.keys(values ?? {}).find((key) => !names.includes(key));
    if (unknown !== undefined) throw new TypeError(name + ".pack: " + unknown + " is no constant: " + names.join(", "));
    return constants.map(({ name: key, array, length, dtype, shape }) => {
      const value = ${hasBytes ? `dtype === "u8" ? asBytes(values?.[key]) : ` : ""}values?.[key];
      const must = name + ".pack: " + key + " must be a " + array + " of " + length + " elements, " + dtype + "[" + shape.join(", ") + "]";
      if (!(value instanceof globalThis[array])) throw new TypeError(must);
      if (value.length !== length) throw new RangeError(must + "; got " + value.length + " elements");
      return value;
    });
  }
`;
}

const tensorAt = (at: number): string => `tensors[${at}]`;

const packText = (others: readonly Placed[]): string => `  const others = [${listOf(others, tensorAt)}];
  const packed = ((tensors) => {
${checksText(others.map(({ tensor }) => tensor))}
    return { check, refuseCount };
  })(others);
  function pack(values) {
    const given = constantsOf(values);
    const one = load().open();
    one.set(given, true);
    function layer(${listOf(others)}) {
      ${preludeText(others, "packed.refuseCount")}
      packed.check(${listOf(others)});
      one.run(${listOf(others)});
      return ${resultText(others)};
    }
    async function layerAsync(${listOf(others)}) {
      ${preludeText(others, "packed.refuseCount")}
      packed.check(${listOf(others)});
      const results = await one.async([${copiesOf(others)}], null);
      ${takeResults(others)}
      return ${resultText(others)};
    }
    const layerBuffers = () => {
      const arrays = one.buffers();
      return Object.fromEntries(others.map((tensor) => [tensor.name, arrays[tensors.indexOf(tensor)]]));
    };
    return Object.assign(layer, { async: layerAsync, buffers: layerBuffers, info });
  }
`;
