// The rules in the order in which they are asked; the first that applies schedules the stage.

import type { SpaceRule } from "../draft/space-rule.ts";
import { fuseEpilogue } from "./fuse-epilogue.ts";
import { inlineStage } from "./inline-stage.ts";
import { mergeConsumer } from "./merge-consumer.ts";
import { multiLevelTiling } from "./multi-level-tiling.ts";
import { rowReduction } from "./row-reduction.ts";
import { splitReduction } from "./split-reduction.ts";
import { tensorize } from "./tensorize.ts";
import { tileRegisters } from "./tile-registers.ts";
import { unrollChoices } from "./unroll-choices.ts";
import { vectorizeMap } from "./vectorize-map.ts";

export const defaultRules: readonly SpaceRule[] = [
  mergeConsumer,
  unrollChoices,
  inlineStage,
  tileRegisters,
  tensorize,
  fuseEpilogue,
  multiLevelTiling,
  splitReduction,
  rowReduction,
  vectorizeMap,
];
