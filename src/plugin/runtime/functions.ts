// A kernel as functions of arrays, of an addon or of a back end that is not ours: function `index`, and function `index + 1`, which prepares
// constants where the schedule has something to prepare.

import { arrayTypes } from "../../compiler/index.ts";
import type { NativeKernels } from "../../native/load/load-native.ts";
import { alignedArrays } from "./aligned.ts";
import { lengthOf } from "./arguments.ts";
import type { FunctionFacts, Source } from "./facts.ts";
import { type Arrays, type Instance, type ModuleContext, newOutputs } from "./implementation.ts";

export type Functions = Pick<NativeKernels, "call" | "callAsync" | "slot">;

/** Stands for a constant that only the preparation reads. */
const nothing = new Float32Array(0);

export function openFunctions(
  { tensors, constants, others }: ModuleContext,
  { index, prepare, sources = tensors.map((_, at): Source => ["other", at]) }: FunctionFacts,
  functions: Functions,
): Instance {
  const { call, again } = functions.slot(index);
  const made = (prepare?.results ?? []).map(({ dtype, length }) => ({ array: arrayTypes[dtype], length }));
  let known: Arrays = [];
  let isPacked = false;
  let prepared: Arrays = [];
  let arrays: Arrays | null = null;
  const takenOf = (values: Arrays): Arrays => prepare!.taken.map((at) => values[at]!);
  const argumentsOf = (other: Arrays, constant: Arrays, result: Arrays): Arrays => {
    const from = { other, constant, result };
    return sources.map(([kind, at]) => from[kind][at]!);
  };
  /** Constants that a call reads as they are. */
  const direct = sources.flatMap(([kind, at]) => (kind === "constant" ? [at] : []));
  /** A layer's own copies: its calls off the event loop read them while the caller may change, move or drop the arrays that were given. */
  const copied = (values: Arrays): Arrays => {
    const copies = alignedArrays(direct.map((at) => constants[at]!));
    return values.map((_, at) => {
      const copy = copies[direct.indexOf(at)] ?? nothing;
      if (copy !== nothing) copy.set(values[at]!);
      return copy;
    });
  };
  const areAlive = (values: Arrays): boolean =>
    direct.every((at) => lengthOf.call(values[at]) === constants[at]!.length);
  return {
    buffers() {
      arrays ??= alignedArrays(tensors);
      return arrays;
    },
    set(values, isLast) {
      known = isLast ? copied(values) : values;
      isPacked = isLast;
      if (!prepare) return;
      if (prepared.length === 0) prepared = alignedArrays(made);
      functions.call(index + 1, ...takenOf(values), ...prepared);
    },
    // The addon takes some 30 ns to ask for the memory of an array, so it asks once for the arrays of a binding.
    bind(given) {
      const values = known;
      const all = argumentsOf(given, values, prepared);
      // A kernel keeps no caller's memory alive; a layer keeps its constants.
      if (!isPacked) known = [];
      let isFirst = true;
      return () => {
        if (!isFirst && areAlive(values)) return again();
        isFirst = true;
        call(...all);
        isFirst = false;
      };
    },
    async async(inputs, values) {
      const outputs = newOutputs(others, inputs);
      let results = prepared;
      if (values !== null && prepare) {
        results = alignedArrays(made);
        await functions.callAsync(index + 1, ...takenOf(values), ...results);
      }
      await functions.callAsync(index, ...argumentsOf([...inputs, ...outputs], values ?? known, results));
      return outputs;
    },
  };
}
