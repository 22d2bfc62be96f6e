// The rules in the order in which they are asked, which is the one of `rule-order.ts`.

import { type RuleName, ruleOrder } from "../draft/rule-order.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { carryRows } from "./carry-rows.ts";
import { fuseEpilogue } from "./fuse-epilogue.ts";
import { inlineStage } from "./inline-stage.ts";
import { mergeConsumer } from "./merge-consumer.ts";
import { multiLevelTiling } from "./multi-level-tiling.ts";
import { rowReduction } from "./row-reduction.ts";
import { splitReduction } from "./split-reduction.ts";
import { tensorize } from "./tensorize.ts";
import { tileMap } from "./tile-map.ts";
import { tileRegisters } from "./tile-registers.ts";
import { turnMap } from "./turn-map.ts";
import { unrollChoices } from "./unroll-choices.ts";
import { vectorizeMap } from "./vectorize-map.ts";

const rules: Readonly<Record<RuleName, SpaceRule>> = {
  "carry-rows": carryRows,
  "fuse-epilogue": fuseEpilogue,
  "inline-stage": inlineStage,
  "merge-consumer": mergeConsumer,
  "multi-level-tiling": multiLevelTiling,
  "row-reduction": rowReduction,
  "split-reduction": splitReduction,
  tensorize,
  "tile-map": tileMap,
  "tile-registers": tileRegisters,
  "turn-map": turnMap,
  "unroll-choices": unrollChoices,
  "vectorize-map": vectorizeMap,
};

export const defaultRules: readonly SpaceRule[] = ruleOrder.map((name) => rules[name]);
