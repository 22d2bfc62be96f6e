// The rules for GPUs with tensor cores, in the order in which they are asked.

import type { AcceleratorTarget } from "../../../compiler/index.ts";
import type { SpaceRule } from "../draft/space-rule.ts";
import { inlineMaps } from "./inline-maps.ts";
import { tensorCores } from "./tensor-cores.ts";
import { threadsOfMap } from "./threads-of-a-map.ts";

export const tensorCoreRules: readonly SpaceRule<AcceleratorTarget>[] = [inlineMaps, tensorCores, threadsOfMap];
