// Decides how many elements of a stage go into a vector of the target.

import { byteSize, type CpuTarget, computeType } from "../../../compiler/index.ts";
import type { SchedulableStage } from "./schedulable-stage.ts";

/** Returns the number of lanes: a power of two, at most the extent; 1 if vectors are of no use. */
export function lanesFor(stage: SchedulableStage, extent: number, target: CpuTarget): number {
  const full = target.vectorBytes / byteSize[computeType(stage.dtype)];
  return Math.min(full, 2 ** Math.floor(Math.log2(extent)));
}
