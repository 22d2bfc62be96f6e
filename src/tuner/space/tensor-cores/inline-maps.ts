// Rule `inline-maps`: element-wise stages that are cheaper to compute again than to store are computed where they are read. Operands of
// products on tensor cores are not: they are copied as they lie in memory.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import { instruct } from "../draft/draft.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { inlinedOn } from "../fusion/launch-arrays.ts";
import { isWarpProduct } from "./warp-product.ts";

export const inlineMaps: SpaceRule<AcceleratorTarget> = {
  name: "inline-maps",
  applies: ({ name, readers }, { stages, task }) =>
    inlinedOn(stages, task.target).has(name) &&
    !stages.some((stage) => readers.includes(stage.name) && isWarpProduct(stage, task)),
  apply: (draft, stage) => [instruct(draft, { kind: "inline", block: stage.name })],
};
