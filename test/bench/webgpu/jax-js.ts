// jax-js on WebGPU, by its `jit`, which fuses what it can. What is read is given away, so it is asked for by `ref`; asking for the buffer
// of a result has it submitted, and waits for nothing.

import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import { type Jax, type JaxArray, type Operation, operationOf } from "../peers/npm/jax-js.ts";
import type { Package } from "../peers/npm/npm-peer.ts";
import type { PeerCall } from "../peers/work.ts";
import type { GpuPeer } from "./entrant.ts";

interface GpuArray extends JaxArray {
  readonly ref: GpuArray;
  gpuBuffer(): Promise<GPUBuffer>;
  mul(other: JaxArray): GpuArray;
  add(other: JaxArray): GpuArray;
}

/** Part of its interface that only kernels for GPUs use. */
interface GpuJax extends Jax {
  jit(compute: (...arrays: GpuArray[]) => JaxArray): (...arrays: GpuArray[]) => GpuArray;
  readonly nn: Jax["nn"] & { standardize(x: JaxArray, axis: number): GpuArray };
}

export async function jaxOnGpu(found: Package): Promise<GpuPeer> {
  const jax = (await found.load()) as unknown as GpuJax;
  await jax.init("webgpu");
  jax.defaultDevice("webgpu");
  return {
    name: "jax-js",
    version: found.version,
    async open(call, inputs) {
      const operation = onGpu(jax, call, inputs);
      if (!operation) return null;
      const arrays = operation.inputs.map(({ data, shape }) => jax.numpy.array(data, { shape }) as GpuArray);
      for (const array of arrays) await array.blockUntilReady();
      const compute = jax.jit(operation.compute);
      let last: GpuArray | null = null;
      return {
        async submit(runs) {
          for (let run = 0; run < runs; run++) {
            last?.dispose();
            last = compute(...arrays.map(({ ref }) => ref));
            await last.ref.gpuBuffer();
          }
        },
        result: async () => operation.result(await last!.ref.data()),
        close() {
          for (const array of last ? [...arrays, last] : arrays) array.dispose();
        },
      };
    },
  };
}

function onGpu(jax: GpuJax, call: PeerCall, inputs: readonly KernelArray[]): Operation | null {
  if (call.name !== "layer-norm-f32") return operationOf(jax, call, inputs);
  const [M = 1, N = 1] = call.extents;
  const shapes = [[M, N], [N], [N]];
  return {
    inputs: inputs.map((data, at) => ({ data, shape: shapes[at]! })),
    compute: (x, weight, bias) => jax.nn.standardize(x!, 1).mul(weight!).add(bias!),
    result: (data) => data,
  };
}
