// Name of a kernel in its source, in file names and in error messages.

import type { ComputeDef } from "../expr/compute-def.ts";
import type { Target } from "../target/target.ts";

/** gemm_f32_512x512_avx2: operator, type and shape of its first result, target. */
export function kernelName(op: ComputeDef, target: Target): string {
  const result = op.stages.find((stage) => stage.name === op.outputs[0])!;
  const shape = [...result.axes, ...(result.reduce?.axes ?? [])].map((axis) => axis.extent).join("x");
  return [op.name, result.dtype, shape, target.own ?? target.name].join("_").replace(/[^A-Za-z0-9_]/g, "_");
}
