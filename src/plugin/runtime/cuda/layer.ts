// A kernel with its constants on one GPU: what a run takes is found by where each parameter comes from.

import { byteSize, type DType } from "../../../compiler/index.ts";
import type { Source } from "../facts.ts";
import type { Arrays, ModuleContext } from "../implementation.ts";
import type { CudaFacts } from "./cuda-facts.ts";
import { functionOn } from "./kernel-on-gpu.ts";
import { type OpenGpu, ownStream } from "./open-gpu.ts";

type Addresses = readonly bigint[];

export interface Layer {
  /** Copies constants to the device, and computes what is prepared of them. */
  setArrays(constants: Arrays): void;
  /** Takes constants that are there already. They are prepared in the stream. */
  setAddresses(constants: Addresses, stream: bigint): void;
  /** Adds a run to a stream. @param others addresses of the tensors that are no constants, in order */
  launch(stream: bigint, others: Addresses): void;
  destroy(): void;
}

export const bytesOf = ({ dtype, length }: { readonly dtype: DType; readonly length: number }): number =>
  length * byteSize[dtype];

/** Rejects with what the device says of the code. */
export async function openLayer(
  { tensors, constants }: ModuleContext,
  { code, prepare, sources = tensors.map((_, at): Source => ["other", at]) }: CudaFacts,
  gpu: OpenGpu,
): Promise<Layer> {
  const [run, preparation] = await Promise.all(code.map((each) => functionOn(gpu, each)));
  const made = (prepare?.results ?? []).map((result) => gpu.alloc(bytesOf(result)));
  const own: bigint[] = [];
  let known: Addresses = [];
  const prepareIn = (stream: bigint): void => {
    if (prepare) preparation!.launch(stream, [...prepare.taken.map((at) => known[at]!), ...made]);
  };
  return {
    setArrays(values) {
      // One that is too large leaves those before it for the next try.
      for (const tensor of constants.slice(own.length)) own.push(gpu.alloc(bytesOf(tensor)));
      known = own;
      for (const [at, value] of values.entries()) gpu.upload(own[at]!, value, ownStream);
      prepareIn(ownStream);
    },
    setAddresses(values, stream) {
      known = values;
      prepareIn(stream);
    },
    launch(stream, others) {
      const from = { other: others, constant: known, result: made };
      run!.launch(
        stream,
        sources.map(([kind, at]) => from[kind][at]!),
      );
    },
    destroy() {
      run!.destroy();
      preparation?.destroy();
      for (const address of [...made, ...own]) gpu.free(address);
    },
  };
}
