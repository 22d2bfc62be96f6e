// A layer of a neural network for 32 rows at a time: product, bias, and what is below zero becomes zero.

import type { Tensor2D } from "@tensorflow/tfjs-core";
import { type Entrant, scheduleOf, type Work, withBytes } from "./bench.ts";
import { onnx } from "./onnx.ts";
import { tfjs } from "./tfjs.ts";

const [M, N, K] = [32, 1024, 256];

export async function openLayer(): Promise<Work> {
  const { value: layer, bytes } = await withBytes(async () => (await import("./layer-kernel.ts")).default);
  const A = waves(M * K, 0.37);
  const B = waves(K * N, 0.11);
  const bias = waves(N, 0.53);
  const packed = layer.pack({ B, bias });
  const C = new Float32Array(M * N);
  const kernel: Entrant = { name: "unplugin-kernel", bytes, run: () => void packed(A, C), output: () => C };
  const plainC = new Float32Array(M * N);
  const plain: Entrant = {
    name: "plain JavaScript",
    bytes: 0,
    run: () => computePlainly(A, B, bias, plainC),
    output: () => plainC,
  };
  return {
    what: `${M} rows, ${K} → ${N} numbers each`,
    schedule: scheduleOf(layer.info),
    entrants: [kernel, plain],
    libraries: [
      onnx(() => ({
        constants: [
          { name: "B", shape: [K, N], data: B },
          { name: "bias", shape: [N], data: bias },
        ],
        inputs: [{ name: "A", shape: [M, K], data: A }],
        nodes: [
          { op: "Gemm", inputs: ["A", "B", "bias"], output: "sum" },
          { op: "Relu", inputs: ["sum"], output: "C" },
        ],
        output: { name: "C", shape: [M, N] },
      })),
      tfjs(() => ({
        constants: [
          { shape: [K, N], data: B },
          { shape: [N], data: bias },
        ],
        inputs: [{ shape: [M, K], data: A }],
        compute: (tf, [weights, biases], [rows]) =>
          tf.fused.matMul({
            a: rows as Tensor2D,
            b: weights as Tensor2D,
            bias: biases!,
            activation: "relu",
          }),
      })),
    ],
  };
}

/** Eight sums at once, of two rows and four columns, each kept in a local: the fastest of four ways that were tried. */
function computePlainly(A: Float32Array, B: Float32Array, bias: Float32Array, C: Float32Array): void {
  const sums = new Float64Array(8);
  for (let i = 0; i < M; i += 2) {
    for (let j = 0; j < N; j += 4) {
      let [a0, a1, a2, a3] = [bias[j]!, bias[j + 1]!, bias[j + 2]!, bias[j + 3]!];
      let [b0, b1, b2, b3] = [a0, a1, a2, a3];
      for (let k = 0; k < K; k += 1) {
        const at = k * N + j;
        const x = A[i * K + k]!;
        const y = A[i * K + K + k]!;
        a0 += x * B[at]!;
        a1 += x * B[at + 1]!;
        a2 += x * B[at + 2]!;
        a3 += x * B[at + 3]!;
        b0 += y * B[at]!;
        b1 += y * B[at + 1]!;
        b2 += y * B[at + 2]!;
        b3 += y * B[at + 3]!;
      }
      sums.set([a0, a1, a2, a3, b0, b1, b2, b3]);
      for (let at = 0; at < 8; at += 1) C[(i + (at >> 2)) * N + j + (at & 3)] = Math.max(sums[at]!, 0);
    }
  }
}

/** Numbers that repeat nowhere, the same at every visit, small enough that sums stay near 1. */
const waves = (length: number, step: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length }, (_, at) => Math.sin(at * step + 0.1) / 8);
