// Inline what is cheaper to compute again than to store: an element-wise stage that only element-wise stages read, or
// that one stage reads once an element.

import { instruct } from "../draft.ts";
import { isReused, type SchedulableStage } from "../schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "./space-rule.ts";

export const inlineStage: SpaceRule = {
  name: "inline-stage",

  applies(stage, { stages }: RuleContext) {
    if (stage.isOutput || stage.reduce.length > 0) return false;
    const readers = stages.filter((reader) => stage.readers.includes(reader.name));
    const readsOnce = (reader: SchedulableStage): boolean =>
      reader.reads.filter((read) => read.buffer === stage.name).every((read) => !isReused(reader, read));
    return readers.every(readsOnce) && (readers.length === 1 || !stage.callsFunctions);
  },

  apply: (draft, stage) => [instruct(draft, { kind: "inline", block: stage.name })],
};
