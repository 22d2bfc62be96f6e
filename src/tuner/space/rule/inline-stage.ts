// Inlines stages that are cheaper to compute again than to store: element-wise stages of which each reader reads each
// element once. Stages that would be computed at ever more places are left out (`inlined-stages.ts`), and those that a draft keeps.

import { instruct } from "../draft/draft.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { inlinedStages } from "../fusion/inlined-stages.ts";

export const inlineStage: SpaceRule = {
  name: "inline-stage",
  applies: (stage, { stages }) => inlinedStages(stages).has(stage.name),
  apply: (draft, { name }, { otherwise }) =>
    draft.kept.has(name) ? otherwise(draft, name) : [instruct(draft, { kind: "inline", block: name })],
};
