// Inline what is cheaper to compute again than to store: an element-wise stage that only element-wise stages read, or
// that one stage reads once an element; not one that would be computed at ever more places (`inlined-stages.ts`).

import { instruct } from "../draft.ts";
import { inlinedStages } from "../inlined-stages.ts";
import type { SpaceRule } from "./space-rule.ts";

export const inlineStage: SpaceRule = {
  name: "inline-stage",
  applies: (stage, { stages }) => inlinedStages(stages).has(stage.name),
  apply: (draft, stage) => [instruct(draft, { kind: "inline", block: stage.name })],
};
