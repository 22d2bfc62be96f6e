// Map → the stage whose sums it finishes: it reads each of them once, at its own place, and all else that it reads is an input.

import type { ComputeDef } from "../../../src/compiler/index.ts";
import type { Access, SchedulableStage } from "../../../src/tuner/space/rule-authoring.ts";

export function epilogueOf(
  stage: SchedulableStage,
  stages: readonly SchedulableStage[],
  op: ComputeDef,
): SchedulableStage | null {
  if (stage.reduce.length > 0) return null;
  const isInput = ({ buffer }: Access): boolean => op.inputs.some(({ name }) => name === buffer);
  const [sums, ...others] = stages.filter(({ name }) => stage.reads.some(({ buffer }) => buffer === name));
  if (!sums || others.length > 0 || sums.isOutput || sums.readers.length > 1) return null;
  const isReady = (read: Access): boolean => (read.buffer === sums.name ? isInPlace(read, stage) : isInput(read));
  return stage.reads.every(isReady) ? sums : null;
}

/** Says whether element [i, j] is made of element [i, j]. */
const isInPlace = ({ dims, guarded }: Access, { spatial }: SchedulableStage): boolean =>
  !guarded &&
  dims.length === spatial.length &&
  spatial.every(({ name }, at) => dims[at]?.size === 1 && dims[at]?.get(name) === 1);
