// A read of a stage at the reader's own place: element [i, j] of the reader is made of element [i, j] alone, so that both may be computed at once.

import type { Access, SchedulableStage } from "../draft/schedulable-stage.ts";

/** @param read access of the reader to the results of `stage` */
export const isInPlace = (
  { dims, guarded, count }: Access,
  reader: SchedulableStage,
  stage: SchedulableStage,
): boolean =>
  !guarded &&
  count === 1 &&
  dims.length === reader.spatial.length &&
  reader.spatial.every(({ name, extent }, at) => {
    const dim = dims[at];
    return dim?.size === 1 && dim.get(name) === 1 && extent === stage.spatial[at]?.extent;
  });
