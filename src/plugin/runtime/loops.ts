// The plain loops as the only implementation of a kernel: mode `off`.

import type { TypedArray } from "../../compiler/index.ts";
import { type Arrays, type Instance, type ModuleContext, newOutputs, type Way } from "./implementation.ts";

/** Opens the reference loops, which take all tensors in each call. */
function openLoops({ facts, tensors, constants, others }: ModuleContext): Instance {
  let known: Arrays = [];
  let arrays: Arrays | null = null;
  const compute = (values: Arrays, given: Arrays): void => {
    const [constant, other] = [values.values(), given.values()];
    const all = tensors.map((tensor) => (constants.includes(tensor) ? constant : other).next().value as TypedArray);
    facts.loops!(...all);
  };
  return {
    set(values) {
      known = values.map((value) => value.slice());
    },
    buffers() {
      arrays ??= tensors.map(({ array, length }) => new array(length));
      return arrays;
    },
    bind: (given) => () => compute(known, given),
    async async(inputs, values) {
      const constant = values ?? known;
      await new Promise((resolve) => setTimeout(resolve));
      const outputs = newOutputs(others, inputs);
      compute(constant, [...inputs, ...outputs]);
      return outputs;
    },
  };
}

export const loops: Way = (context) => {
  const implementation = { kind: "reference", open: () => openLoops(context) } as const;
  return { now: () => implementation, soon: async () => implementation, mustWait: () => false };
};
