// Works that kernels for WebGPU are measured by: operators large enough that a dispatch hardly counts, and the calls of libraries.

import { type Op, opLibrary } from "../../../src/compiler/index.ts";
import type { PeerCall } from "../peers/work.ts";

export interface GpuWork {
  readonly name: string;
  readonly op: Op;
  readonly call: PeerCall;
}

const { gemm, gemv, softmax, layerNorm, conv2d } = opLibrary;

const product = (M: number, N: number, K: number): GpuWork => ({
  name: `gemm ${M}×${N}×${K}`,
  op: gemm({ M, N, K }),
  call: { name: "gemm-f32", extents: [M, N, K] },
});

/** Extents of a convolution's call: edge, channels, filters, taps, stride, padding. */
export const gpuWorks: readonly GpuWork[] = [
  product(512, 512, 512),
  product(1024, 1024, 256),
  {
    name: "softmax 1024×1024",
    op: softmax({ M: 1024, N: 1024 }),
    call: { name: "softmax-f32", extents: [1024, 1024] },
  },
  {
    name: "layerNorm 1024×1024",
    op: layerNorm({ M: 1024, N: 1024 }),
    call: { name: "layer-norm-f32", extents: [1024, 1024] },
  },
  {
    name: "conv2d 28×28×64 3×3 64",
    op: conv2d({ H: 28, W: 28, C: 64, F: 64, padding: 1 }),
    call: { name: "conv2d-f32", extents: [28, 64, 64, 3, 1, 1] },
  },
  { name: "gemv 1024×1024", op: gemv({ M: 1024, K: 1024 }), call: { name: "gemv-f32", extents: [1024, 1024] } },
];
