// Calls on arrays by a GPU: inputs are copied to memory of the kernel's own, outputs come back as arrays. The stream runs calls one after
// the other, so one set of memory serves any number of them.

import type { ArrayRunner } from "../gpu/gpu-api.ts";
import type { ModuleContext } from "../implementation.ts";
import type { CudaFacts } from "./cuda-facts.ts";
import { bytesOf, type CudaLayer, openLayer } from "./layer.ts";
import { type OpenGpu, ownStream, takeBytes } from "./open-gpu.ts";
import { whenUnused } from "./when-unused.ts";

/** Makes what frees all memory of a runner. It knows nothing of the runner, which is collected while this is kept. */
const freeing = (layer: CudaLayer, gpu: OpenGpu, addresses: readonly bigint[]) => (): void => {
  layer.destroy();
  for (const address of addresses) gpu.free(address);
};

/** Rejects with what the device says of the code, or of its memory. */
export async function openArrayRunner(context: ModuleContext, facts: CudaFacts, gpu: OpenGpu): Promise<ArrayRunner> {
  const { others } = context;
  const layer = await openLayer(context, facts, gpu);
  const addresses: bigint[] = [];
  const free = freeing(layer, gpu, addresses);
  try {
    for (const tensor of others) addresses.push(gpu.alloc(bytesOf(tensor)));
  } catch (error) {
    free();
    throw error;
  }
  const outputs = others.flatMap((tensor, at) => (tensor.role === "output" ? [{ tensor, at }] : []));
  let unset: unknown = null;
  const runner: ArrayRunner = {
    set(constants) {
      try {
        layer.setArrays(constants);
        unset = null;
      } catch (error) {
        unset = error;
      }
    },
    async run(inputs, constants) {
      if (constants) layer.setArrays(constants);
      else if (unset) throw unset;
      const taken = inputs.map((input, at) => gpu.copyIn(addresses[at]!, input, ownStream));
      layer.encode(ownStream, addresses);
      const given = outputs.map(({ tensor, at }) => gpu.copyOut(addresses[at]!, bytesOf(tensor), ownStream));
      await gpu.finished(ownStream);
      for (const staging of taken) staging.release();
      return outputs.map(({ tensor: { array, length } }, at) => {
        const output = new array(length);
        takeBytes(given[at]!, output);
        return output;
      });
    },
    destroy() {
      whenUnused.unregister(runner);
      free();
    },
  };
  whenUnused.register(runner, free, runner);
  return runner;
}
