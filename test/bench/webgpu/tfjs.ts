// tfjs with its WebGPU backend. It submits after some dispatches, or when it is told to.

import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import type { Package } from "../peers/npm/npm-peer.ts";
import { type Core, type Operation, operationOf, type Tensor } from "../peers/npm/tfjs.ts";
import type { PeerCall } from "../peers/work.ts";
import type { GpuPeer } from "./entrant.ts";

interface GpuTensor extends Tensor {
  data(): Promise<KernelArray>;
}

/** Part of its interface that only kernels for GPUs use. */
interface GpuCore extends Core {
  backend(): { readonly commandEncoder: unknown; submitQueue(): void; endComputePassEncoder(): void };
  moments(x: Tensor, axis: number, keepDims: boolean): { readonly mean: Tensor; readonly variance: Tensor };
  sub(a: Tensor, b: Tensor): Tensor;
  add(a: Tensor, b: Tensor | number): Tensor;
  rsqrt(x: Tensor): Tensor;
}

export async function tfjsOnGpu(backend: Package, core: Package): Promise<GpuPeer> {
  const tf = (await core.load()) as unknown as GpuCore;
  await backend.load();
  if (!(await tf.setBackend("webgpu"))) throw new Error("tfjs does not start its WebGPU backend");
  return {
    name: "tfjs-backend-webgpu",
    version: backend.version,
    async open(call, inputs) {
      const operation = onGpu(tf, call);
      if (!operation) return null;
      const { shapes, compute } = operation;
      const tensors = inputs.map((input, at) => tf.tensor(input, shapes[at]!, "float32"));
      let last: Tensor | null = null;
      return {
        async submit(runs) {
          for (let run = 0; run < runs; run++) {
            last?.dispose();
            last = compute(...tensors);
          }
          const queue = tf.backend();
          if (!queue.commandEncoder) return;
          queue.endComputePassEncoder();
          queue.submitQueue();
        },
        result: () => (last as GpuTensor).data(),
        close() {
          for (const tensor of last ? [...tensors, last] : tensors) tensor.dispose();
        },
      };
    },
  };
}

const epsilon = 1e-5;

function onGpu(tf: GpuCore, call: PeerCall): Operation | null {
  if (call.name !== "layer-norm-f32") return operationOf(tf, call);
  const [M = 1, N = 1] = call.extents;
  return {
    shapes: [[M, N], [N], [N]],
    compute: (x, weight, bias) =>
      tf.tidy(() => {
        const { mean, variance } = tf.moments(x!, 1, true);
        const scaled = tf.mul(tf.sub(x!, mean), tf.rsqrt(tf.add(variance, epsilon)));
        return tf.add(tf.mul(scaled, weight!), bias!);
      }),
  };
}
