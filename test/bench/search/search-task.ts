// The tasks and targets that `npm run bench:search` compares strategies on.

import {
  type ComputeDef,
  instantiate,
  type Op,
  opLibrary,
  type TargetName,
  targets,
} from "../../../src/compiler/index.ts";
import { detectMachine, hostTarget, missingFeatures } from "../../../src/native/machine/machine.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";

const { conv2d, gemm, gemmExpGemm, softmax } = opLibrary;

export interface SearchTask {
  readonly name: string;
  readonly title: string;
  readonly op: Op;
  /** Every strategy runs on it, not only those that are compared everywhere. */
  readonly isFull: boolean;
  /** Whether the prior for WASM was fitted to candidates of it (machine-model.ts): it says nothing of tasks that nobody fitted to. */
  readonly isFitted: boolean;
}

export const searchTasks: readonly SearchTask[] = [
  { name: "gemm-512", title: "GEMM 512³", op: gemm({ M: 512, N: 512, K: 512 }), isFull: true, isFitted: true },
  {
    name: "gemm-uneven",
    title: "GEMM 1000×1536×770",
    op: gemm({ M: 1000, N: 1536, K: 770 }),
    isFull: false,
    isFitted: true,
  },
  {
    name: "conv-3x3",
    title: "conv2d 3×3, 56×56×64→64",
    op: conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }),
    isFull: true,
    isFitted: true,
  },
  {
    name: "conv-1x1",
    title: "conv2d 1×1, 14×14×256→1024",
    op: conv2d({ H: 14, W: 14, C: 256, F: 1024, KH: 1, KW: 1 }),
    isFull: false,
    isFitted: true,
  },
  { name: "softmax", title: "softmax 1024×1024", op: softmax({ M: 1024, N: 1024 }), isFull: false, isFitted: false },
  {
    name: "gemm-exp-gemm",
    title: "GEMM-exp-GEMM 1024×2048×1024×3072",
    op: gemmExpGemm({ M: 1024, K: 2048, N: 1024, L: 3072 }),
    isFull: false,
    isFitted: true,
  },
];

/** This machine's: avx512, else avx2, where it has one of them, and wasm. */
export function searchTargets(): readonly TargetName[] {
  const machine = detectMachine();
  const native = (["avx512", "avx2"] as const).find((name) => missingFeatures(targets[name], machine).length === 0);
  return native ? [native, "wasm"] : ["wasm"];
}

export const definitionOf = ({ op }: SearchTask): ComputeDef => instantiate(op, {}, "kernel");

/** Makes the task in the way of the program interface. */
export const tuningTaskOf = (task: SearchTask, target: TargetName): TuningTask => ({
  op: definitionOf(task),
  target: { ...hostTarget(target), threads: 1 },
  numerics: "fast",
  threads: 1,
});

export function searchTaskNamed(name: string): SearchTask {
  const task = searchTasks.find((it) => it.name === name);
  if (!task) throw new Error(`${name} is no task: ${searchTasks.map((it) => it.name).join(", ")}`);
  return task;
}
