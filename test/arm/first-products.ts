// C of the schedules that the prior likes best for a product of matrices on ARM.

import { type CSource, instantiate, isCSource, opLibrary, type TargetName, targets } from "../../src/compiler/index.ts";
import { firstSchedules } from "../support/first-schedules.ts";

type ProductElement = "f32" | "f64" | "i8" | "u8" | "bf16";

export interface ProductTypes {
  readonly dtype: ProductElement;
  readonly dtypeB?: ProductElement;
}

export function firstProducts(
  target: TargetName,
  { dtype, dtypeB = dtype }: ProductTypes,
  count: number,
): readonly CSource[] {
  const op = instantiate(opLibrary.gemm({ M: 256, N: 256, K: 256, dtype, dtypeB }), {}, "gemm");
  const task = { op, target: targets[target], numerics: "fast", threads: 1 } as const;
  return firstSchedules(task, count, isCSource).map(({ source }) => source);
}
