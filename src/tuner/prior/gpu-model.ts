// Knowledge of GPUs before anything is measured, as the ranker asks for it: of those behind WebGPU, of which none is known at build time, and of
// those with tensor cores.

import type { AcceleratorTarget } from "../../compiler/index.ts";
import type { AnalyticModel } from "./ranker.ts";
import { tensorCoresNs } from "./tensor-core-model.ts";
import { gpuClockOf, threadsNs } from "./thread-model.ts";

const common = {
  machineOf: gpuClockOf,
  registersOf: ({ limits }: AcceleratorTarget) => limits.registersPerThread ?? 1,
};

/** The circle with ranker.ts is one of types: its table has these models. */
export const webgpuModel: AnalyticModel<AcceleratorTarget> = {
  ...common,
  name: "wgsl",
  // Every visitor gets what is predicted, so it is worth looking for longer.
  descends: true,
  predictNs: threadsNs,
};

export const cudaModel: AnalyticModel<AcceleratorTarget> = {
  ...common,
  name: "cuda",
  // Only warps have lanes that hold a tile together.
  predictNs: (facts, target, machine) =>
    facts.lanes > 1 ? tensorCoresNs(facts, target, machine) : threadsNs(facts, target, machine),
};
