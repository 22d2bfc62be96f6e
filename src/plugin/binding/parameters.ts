// Meaning of a compiled kernel's parameters to its callers: constants, other tensors, or results of a preparation.

import type { KernelParameter, WasmSource } from "../../compiler/index.ts";
import type { ArrayPlace, NativeFacts, Source } from "../runtime/facts.ts";

/** The tensors of an operator, in order, and the names of those that stay the same. */
export interface KernelSignature {
  readonly tensors: readonly KernelParameter[];
  readonly constants: readonly string[];
}

const namesOf = (all: readonly KernelParameter[]): readonly string[] => all.map(({ name }) => name);

const isConstant = ({ constants }: KernelSignature, { name, role }: KernelParameter): boolean =>
  role === "input" && constants.includes(name);

const constantsOf = (kernel: KernelSignature): readonly string[] =>
  namesOf(kernel.tensors.filter((it) => isConstant(kernel, it)));

/** @param run parameters of the compiled function; undefined is returned if it takes the tensors as they come */
export function sourcesOf(run: readonly KernelParameter[], kernel: KernelSignature): readonly Source[] | undefined {
  const constants = constantsOf(kernel);
  if (constants.length === 0) return undefined;
  const others = namesOf(kernel.tensors.filter((it) => !isConstant(kernel, it)));
  let results = 0;
  return run.map(({ name }): Source => {
    if (constants.includes(name)) return ["constant", constants.indexOf(name)];
    return others.includes(name) ? ["other", others.indexOf(name)] : ["result", results++];
  });
}

/** Places among the constants of what a preparation takes. */
export const takenBy = (prepare: readonly KernelParameter[], kernel: KernelSignature): readonly number[] =>
  prepare.filter(({ role }) => role === "input").map(({ name }) => constantsOf(kernel).indexOf(name));

/** Results of a preparation. */
export const resultsOf = (prepare: readonly KernelParameter[]): NonNullable<NativeFacts["prepare"]>["results"] =>
  prepare.filter(({ role }) => role === "output").map(({ dtype, length }) => ({ dtype, length }));

export const layoutOf = ({ parameters, offsets }: WasmSource): readonly ArrayPlace[] =>
  parameters.map(({ dtype, length }, at): ArrayPlace => [dtype, offsets[at]!, length]);
