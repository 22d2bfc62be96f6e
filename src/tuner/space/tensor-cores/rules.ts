// The rules for GPUs with tensor cores, in the order in which they are asked: products on tensor cores, and all else as on other GPUs.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { rowGroups } from "../thread-tiles/row-groups.ts";
import { sumsOfAll } from "../thread-tiles/sums-of-all.ts";
import { threadTiles } from "../thread-tiles/thread-tiles.ts";
import { vectorMaps } from "../thread-tiles/vector-maps.ts";
import { inlineMaps } from "./inline-maps.ts";
import { tensorCores } from "./tensor-cores.ts";
import { threadsOfMap } from "./threads-of-a-map.ts";

export const tensorCoreRules: readonly SpaceRule<AcceleratorTarget>[] = [
  inlineMaps,
  tensorCores,
  rowGroups,
  sumsOfAll,
  threadTiles,
  vectorMaps,
  threadsOfMap,
];
