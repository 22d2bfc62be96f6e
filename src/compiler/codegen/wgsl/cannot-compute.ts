// Operators that WGSL has no numbers for, whatever the schedule.

import type { ComputeDef } from "../../expr/compute-def.ts";
import { isFloat } from "../../expr/dtype.ts";
import type { Numerics } from "../../target/target.ts";

/** Null: WGSL can compute the operator. */
export function cannotCompute({ inputs, stages }: ComputeDef, numerics: Numerics): string | null {
  const tensors = [...inputs, ...stages];
  const wide = tensors.find(({ dtype }) => dtype === "f64");
  if (wide) return `${wide.name} is f64, and WebGPU has no such numbers`;
  if (numerics === "strict" && tensors.some(({ dtype }) => isFloat(dtype)))
    return 'WebGPU leaves roundings to the machine, so that it cannot be "strict"';
  return null;
}
