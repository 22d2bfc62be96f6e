// tfjs with its WASM backend.

import { dirname } from "node:path";
import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { PeerCall } from "../work.ts";
import type { NpmCall, NpmPeer, Package } from "./npm-peer.ts";

export interface Tensor {
  dataSync(): KernelArray;
  dispose(): void;
}

/** Part of its interface that we use. */
export interface Core {
  setBackend(name: string): Promise<boolean>;
  tensor(values: KernelArray, shape: readonly number[], dtype: string): Tensor;
  matMul(a: Tensor, b: Tensor, transposeA?: boolean, transposeB?: boolean): Tensor;
  mul(a: Tensor, b: Tensor | number): Tensor;
  tidy(compute: () => Tensor): Tensor;
  conv2d(x: Tensor, filter: Tensor, strides: number, padding: number): Tensor;
  depthwiseConv2d(x: Tensor, filter: Tensor, strides: number, padding: number): Tensor;
  softmax(x: Tensor): Tensor;
  readonly fused: {
    matMul(options: {
      readonly a: Tensor;
      readonly b: Tensor;
      readonly bias: Tensor;
      readonly activation: string;
    }): Tensor;
  };
}

interface Backend {
  setWasmPaths(folder: string): void;
  setThreadsCount(count: number): void;
}

export async function tfjs(backend: Package, core: Package, threads: number): Promise<NpmPeer> {
  const tf = (await core.load()) as unknown as Core;
  const wasm = (await backend.load()) as unknown as Backend;
  wasm.setWasmPaths(`${dirname(backend.path("dist/tfjs-backend-wasm.wasm"))}/`);
  wasm.setThreadsCount(threads);
  if (!(await tf.setBackend("wasm"))) throw new Error("tfjs does not start its WASM backend");
  return {
    name: "tfjs-backend-wasm",
    version: backend.version,
    async open(call, inputs) {
      const ready = operationOf(tf, call);
      return ready && openOperation(tf, ready, inputs);
    },
  };
}

export interface Operation {
  readonly shapes: readonly (readonly number[])[];
  readonly compute: (...tensors: Tensor[]) => Tensor;
}

function openOperation(tf: Core, { shapes, compute }: Operation, inputs: readonly KernelArray[]): NpmCall {
  const tensors = inputs.map((input, at) => tf.tensor(input, shapes[at]!, "float32"));
  let last: Tensor | null = null;
  return {
    run() {
      last?.dispose();
      last = compute(...tensors);
      return undefined;
    },
    result: async () => last!.dataSync(),
    close() {
      for (const tensor of last ? [...tensors, last] : tensors) tensor.dispose();
    },
  };
}

export function operationOf(tf: Core, { name, extents }: PeerCall): Operation | null {
  const [M = 1, N = 1, K = 1, batch = 1] = extents;
  const product = [
    [M, K],
    [K, N],
  ] as const;
  switch (name) {
    case "gemm-f32":
    case "gemm-f32-packed":
      return { shapes: product, compute: (a, b) => tf.matMul(a!, b!) };
    // The rows are an input and stay as they are. With the vector on the left and `transposeB` a call takes longer.
    case "gemv-f32":
      return {
        shapes: [
          [M, N],
          [N, 1],
        ],
        compute: (a, x) => tf.matMul(a!, x!),
      };
    case "batch-f32":
      return { shapes: product.map((shape) => [batch, ...shape]), compute: (a, b) => tf.matMul(a!, b!) };
    case "gemm-bias-relu":
      return {
        shapes: [...product, [N]],
        compute: (a, b, bias) => tf.fused.matMul({ a: a!, b: b!, bias: bias!, activation: "relu" }),
      };
    case "softmax-f32":
      return { shapes: [[M, N]], compute: (x) => tf.softmax(x!) };
    case "attention-f32": {
      const scores = (q: Tensor, k: Tensor): Tensor => tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(K));
      const shape = [M, N, K];
      return {
        shapes: [shape, shape, shape],
        compute: (q, k, v) => tf.tidy(() => tf.matMul(tf.softmax(scores(q!, k!)), v!)),
      };
    }
    case "conv2d-f32":
    case "depthwise-f32":
      return convolution(tf, extents, name === "depthwise-f32");
    default:
      return null;
  }
}

function convolution(tf: Core, extents: readonly number[], isDepthwise: boolean): Operation {
  const [H = 1, C = 1, F = 1, taps = 1, stride = 1, padding = 0] = extents;
  return {
    shapes: [
      [1, H, H, C],
      [taps, taps, C, isDepthwise ? 1 : F],
    ],
    compute: (x, filter) => (isDepthwise ? tf.depthwiseConv2d : tf.conv2d)(x!, filter!, stride, padding),
  };
}
