// The parameters of a kernel in calling order: they follow from the operator, and from what is computed of its constants before.

import type { ComputeDef } from "../expr/compute-def.ts";
import { fromCompute } from "../ir/from-compute.ts";
import type { Buffer } from "../ir/loop-ir.ts";
import { product } from "../support/integer-math.ts";
import type { KernelParameter } from "./kernel-source.ts";

export function parametersOf(buffers: readonly Buffer[]): readonly KernelParameter[] {
  return buffers.flatMap(({ name, dtype, shape, role }) => {
    const length = product(shape);
    return role === "local" ? [] : [{ name, dtype, shape, length, role }];
  });
}

export const kernelParameters = (op: ComputeDef): readonly KernelParameter[] => parametersOf(fromCompute(op).buffers);

/**
 * The part of a kernel that is computed once from constant inputs: the inputs that it takes, and the results that it
 * gives to the kernel.
 */
export interface PreparationFacts {
  /** Names of the constant inputs that it takes, in the order of the operator. */
  readonly inputs: readonly string[];
  readonly results: readonly Pick<KernelParameter, "name" | "dtype" | "shape">[];
}

/** Parameters of the kernel itself, and of what prepares constants for it: `splitPreparation`. */
export interface SplitParameters {
  readonly run: readonly KernelParameter[];
  readonly prepare: readonly KernelParameter[];
}

export function splitParameters(op: ComputeDef, { inputs, results }: PreparationFacts): SplitParameters {
  const own = kernelParameters(op);
  const isInput = ({ role }: KernelParameter): boolean => role === "input";
  const computed = (role: KernelParameter["role"]): readonly KernelParameter[] =>
    results.map(({ name, dtype, shape }) => {
      return { name, dtype, shape, length: product(shape), role };
    });
  return {
    run: [...own.filter(isInput), ...computed("input"), ...own.filter((it) => !isInput(it))],
    prepare: [...own.filter((it) => isInput(it) && inputs.includes(it.name)), ...computed("output")],
  };
}

export const preparationFacts = (parameters: readonly KernelParameter[]): PreparationFacts => ({
  inputs: parameters.filter(({ role }) => role === "input").map(({ name }) => name),
  results: parameters.filter(({ role }) => role === "output").map(({ name, dtype, shape }) => ({ name, dtype, shape })),
});
