// C of the schedules that the prior likes best for a product of matrices on ARM.

import { type CSource, instantiate, isCSource, opLibrary, type TargetName, targets } from "../../src/compiler/index.ts";
import { boostedTrees } from "../../src/tuner/cost-model/boosted-trees.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { searchSpace } from "../../src/tuner/search/point/search-space.ts";
import { startSearch } from "../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";

type ProductElement = "f32" | "f64" | "i8" | "u8" | "bf16";

export interface ProductTypes {
  readonly dtype: ProductElement;
  readonly dtypeB?: ProductElement;
}

/** The first schedules of a search, before anything is measured. */
export function firstSchedules(
  target: TargetName,
  { dtype, dtypeB = dtype }: ProductTypes,
  count: number,
): readonly CSource[] {
  const op = instantiate(opLibrary.gemm({ M: 256, N: 256, K: 256, dtype, dtypeB }), {}, "gemm");
  const task = { op, target: targets[target], numerics: "fast", threads: 1 } as const;
  const space = generateSpace(task);
  const search = startSearch(searchSpace(space, { prior: space.prior }), boostedTrees());
  return strategies.default.propose(search, count, createRng(1)).flatMap((candidate) => {
    const kernel = candidateKernel(task, space, candidate);
    return kernel.kind === "ok" && isCSource(kernel.source) ? [kernel.source] : [];
  });
}
