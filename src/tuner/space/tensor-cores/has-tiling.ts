// Whether the extents of a product can be divided among warps at all, on a machine of any size. Where the machine is too small the space is
// empty, and says so; where the extents are at odds with each other, the product is one for other rules.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { compileModel } from "../../constraint/solver/compile.ts";
import { sample } from "../../constraint/solver/sample.ts";
import { createRng } from "../../support/rng.ts";
import { emptyDraft, tunable } from "../draft/draft.ts";
import { addGroupTiles } from "./group-tiles.ts";
import { limitGroups } from "./limits.ts";
import type { WarpProduct } from "./warp-product.ts";

const plenty = 2 ** 30;

export function hasTiling(product: WarpProduct, target: AcceleratorTarget): boolean {
  const limits = { groupBytes: plenty, threadsPerGroup: plenty, registersPerProcessor: plenty };
  const { parts } = product;
  const begun = parts ? tunable(emptyDraft, parts.count, parts.counts) : emptyDraft;
  const { variables, constraints } = limitGroups(addGroupTiles(begun, product), product, { ...target, limits });
  return sample(compileModel({ variables, constraints }), createRng(1)).kind === "found";
}
