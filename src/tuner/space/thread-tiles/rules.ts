// The rules for GPUs without tensor cores, in the order in which they are asked.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { inlineMaps } from "../tensor-cores/inline-maps.ts";
import { threadsOfMap } from "../tensor-cores/threads-of-a-map.ts";
import { rowGroups } from "./row-groups.ts";
import { sumsOfAll } from "./sums-of-all.ts";
import { threadTiles } from "./thread-tiles.ts";
import { vectorMaps } from "./vector-maps.ts";

export const threadTileRules: readonly SpaceRule<AcceleratorTarget>[] = [
  inlineMaps,
  rowGroups,
  sumsOfAll,
  threadTiles,
  vectorMaps,
  threadsOfMap,
];
