// The native twin of an emitted module whose operator has constant inputs: kernel 0 of the addon, and kernel 1, which prepares
// them, where the schedule has something to prepare.

import { arrayTypes, type KernelParameter } from "../../compiler/index.ts";
import type { CompiledKernel, NativeKernel } from "../compiled-kernel.ts";
import { boundText } from "./bound.ts";
import { type Source, sorted, sourcesOf, takenBy } from "./packable.ts";

const sized = (parameters: readonly KernelParameter[]): readonly object[] =>
  parameters
    .filter(({ role }) => role === "output")
    .map(({ dtype, length }) => ({ array: arrayTypes[dtype].name, length }));

/** Text that defines `nativeTwin(addon)`; expects `alignedArrays`, `lengthOf`, `tensors`, `others`. */
export function packableNativeTwin({ index, split }: NativeKernel, kernel: CompiledKernel): string {
  const places = sorted(kernel);
  const sources = sourcesOf(split?.run ?? kernel.tensors, places);
  const argument = ([kind, at]: Source): string =>
    kind === "constant" ? `known[${at}]` : kind === "result" ? `prepared[${at}]` : `a${places.others[at]!.at}`;
  // Nobody has looked at the constants since they were packed.
  const alive = sources.flatMap(([kind, at]) =>
    kind === "constant" ? [`lengthOf.call(known[${at}]) === ${places.constants[at]!.tensor.length}`] : [],
  );
  return `
  const made = ${JSON.stringify(sized(split?.prepare ?? []))};
  const taken = ${JSON.stringify(split ? takenBy(split.prepare, places) : [])};
  const sources = ${JSON.stringify(sources)};
  function nativeTwin(addon) {
    return { kind: "native", open: () => nativeInstance(addon) };
  }
  function nativeInstance(addon) {
    const { call, again } = addon.slot(${index});
    let known = null, prepared = null, arrays = null;
    ${boundText({ given: places.others.map(({ at }) => `a${at}`), all: sources.map(argument), alive })}
    return {
      buffers: () => (arrays ??= alignedArrays(tensors)),
      set(constants) {
        forget();
        known = constants;
        prepared ??= alignedArrays(made);
        ${split ? `addon.call(${index + 1}, ...taken.map((at) => constants[at]), ...prepared);` : ""}
      },
      run: bound,
      async async(inputs, constants) {
        const outputs = others.slice(inputs.length).map(({ array, length }) => new globalThis[array](length));
        const from = { other: [...inputs, ...outputs], constant: constants ?? known, result: prepared };
        if (constants !== null) {
          from.result = alignedArrays(made);
          ${split ? `await addon.callAsync(${index + 1}, ...taken.map((at) => constants[at]), ...from.result);` : ""}
        }
        await addon.callAsync(${index}, ...sources.map(([kind, at]) => from[kind][at]));
        return outputs;
      },
    };
  }
`;
}
