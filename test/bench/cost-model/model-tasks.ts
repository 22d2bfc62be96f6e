// The tasks that cost models are compared on: small enough to be measured a hundred times, of several kinds and shapes.

import { instantiate, type Op, opLibrary, type TargetName } from "../../../src/compiler/index.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";

export interface ModelTask {
  readonly name: string;
  readonly task: TuningTask;
}

const { gemm, conv2d, softmax, gemv, batchMatmul } = opLibrary;

const ops: Readonly<Record<string, Op>> = {
  "gemm 128x128x128": gemm({ M: 128, N: 128, K: 128, dtype: "f32" }),
  "gemm 256x256x256": gemm({ M: 256, N: 256, K: 256, dtype: "f32" }),
  "gemm 128x384x192": gemm({ M: 128, N: 384, K: 192, dtype: "f32" }),
  "gemm 250x150x330": gemm({ M: 250, N: 150, K: 330, dtype: "f32" }),
  "conv2d 3x3 14x14x32-64": conv2d({ H: 14, W: 14, C: 32, F: 64, padding: 1 }),
  "conv2d 1x1 14x14x128-128": conv2d({ H: 14, W: 14, C: 128, F: 128, KH: 1, KW: 1 }),
  "softmax 256x512": softmax({ M: 256, N: 512 }),
  "batchMatmul 4x64x64x128": batchMatmul({ batch: 4, M: 64, N: 64, K: 128 }),
  "gemv 1024x1024": gemv({ M: 1024, K: 1024 }),
};

export const modelTasks = (target: TargetName, names: readonly string[] = Object.keys(ops)): readonly ModelTask[] =>
  names.map((name) => ({
    name,
    task: {
      op: instantiate(ops[name]!, {}, "bench"),
      target: { ...hostTarget(target), threads: 1 },
      numerics: "fast",
      threads: 1,
    },
  }));
