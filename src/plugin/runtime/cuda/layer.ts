// A kernel with its constants on an NVIDIA GPU: memory is an address, and runs are added to a stream.

import { byteSize, type DType } from "../../../compiler/index.ts";
import { createLayer, type Layer } from "../gpu/layer.ts";
import type { ModuleContext } from "../implementation.ts";
import type { CudaFacts } from "./cuda-facts.ts";
import { functionOn } from "./kernel-on-gpu.ts";
import { type OpenGpu, ownStream } from "./open-gpu.ts";

export type CudaLayer = Layer<bigint, bigint>;

export const bytesOf = ({ dtype, length }: { readonly dtype: DType; readonly length: number }): number =>
  length * byteSize[dtype];

/** Rejects with what the device says of the code. */
export async function openLayer(context: ModuleContext, facts: CudaFacts, gpu: OpenGpu): Promise<CudaLayer> {
  const functions = await Promise.all(facts.code.map((each) => functionOn(gpu, each, facts.architecture)));
  return createLayer(context, facts, functions, {
    alloc: (tensor) => gpu.alloc(bytesOf(tensor)),
    upload: (to, from) => gpu.upload(to, from, ownStream),
    free: (address: bigint) => gpu.free(address),
    submit: (add) => add(ownStream),
  });
}
