// Decides how many elements of a stage go into a vector of the target.

import { byteSize, type CpuTarget, computeType } from "../../../compiler/index.ts";
import type { SchedulableStage } from "./schedulable-stage.ts";

/** Number of elements of a stage that a vector has. */
export const vectorLanes = (stage: SchedulableStage, target: CpuTarget): number =>
  target.vectorBytes / byteSize[computeType(stage.dtype)];

/** Returns the number of lanes: a power of two, at most the extent; 1 if vectors are of no use. */
export function lanesFor(stage: SchedulableStage, extent: number, target: CpuTarget): number {
  return Math.min(vectorLanes(stage, target), 2 ** Math.floor(Math.log2(extent)));
}
