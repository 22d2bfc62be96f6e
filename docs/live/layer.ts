// A layer of a neural network for 32 rows at a time: product, bias, and what is below zero becomes zero.

import { type Entrant, scheduleOf, type Work, withBytes } from "./bench.ts";
import { openOnnx } from "./onnx.ts";

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
    library: {
      name: "onnxruntime-web",
      load: () =>
        openOnnx({
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
        }),
    },
  };
}

/** Row by row of the weights, so that all arrays are read in order. */
function computePlainly(A: Float32Array, B: Float32Array, bias: Float32Array, C: Float32Array): void {
  for (let i = 0; i < M; i += 1) {
    const row = C.subarray(i * N, (i + 1) * N);
    row.set(bias);
    for (let k = 0; k < K; k += 1) {
      const a = A[i * K + k]!;
      const at = k * N;
      for (let j = 0; j < N; j += 1) row[j]! += a * B[at + j]!;
    }
    for (let j = 0; j < N; j += 1) if (row[j]! < 0) row[j] = 0;
  }
}

/** Numbers that repeat nowhere, the same at every visit, small enough that sums stay near 1. */
const waves = (length: number, step: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length }, (_, at) => Math.sin(at * step + 0.1) / 8);
