// The rules for GPUs, in the order in which they are asked: those with tensor cores have products on them, and all else as the others.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { inlineMaps } from "../tensor-cores/inline-maps.ts";
import { tensorCores } from "../tensor-cores/tensor-cores.ts";
import { threadsOfMap } from "../tensor-cores/threads-of-a-map.ts";
import { longSums } from "./long-sums.ts";
import { rowGroups } from "./row-groups.ts";
import { threadTiles } from "./thread-tiles.ts";
import { vectorMaps } from "./vector-maps.ts";

const ofThreads: readonly SpaceRule<AcceleratorTarget>[] = [rowGroups, longSums, threadTiles, vectorMaps, threadsOfMap];

export const threadTileRules: readonly SpaceRule<AcceleratorTarget>[] = [inlineMaps, ...ofThreads];

export const tensorCoreRules: readonly SpaceRule<AcceleratorTarget>[] = [inlineMaps, tensorCores, ...ofThreads];
