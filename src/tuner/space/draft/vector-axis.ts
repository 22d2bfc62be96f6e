// Axes that vectors may go along: how operands lie along an axis, and what can be done where they lie otherwise.

import { type Access, isReused, type SchedulableStage } from "./schedulable-stage.ts";

/** Says whether an access does not move, or moves by one element, when the axis does. */
export function isVectorizable({ dims, axes }: Access, axis: string): boolean {
  return dims.every((dim, at) => {
    if (!axes[at]!.has(axis)) return true;
    const coefficient = dim?.get(axis) ?? null;
    return coefficient === 0 || (coefficient === 1 && at === dims.length - 1);
  });
}

/** The same away from the edges. */
export const isVectorizableInside = (access: Access, axis: string): boolean =>
  isVectorizable({ ...access, dims: access.inside }, axis);

/**
 * Says whether a pack may have this axis innermost, in any layout of the operand (the second factor of A · Bᵀ, the image of a convolution
 * whose channels are innermost, that of one with a stride): each element is used several times, which pays for the pack.
 */
export const isTransposable = (stage: SchedulableStage, access: Access, axis: string): boolean =>
  walkOf(access, axis) !== null && isReused(stage, access);

/**
 * Says whether vectors may go along the last axis of a sum's results: each operand lies along it, or nearly so, or may be packed so that it
 * does.
 */
export function isTileable(stage: SchedulableStage): boolean {
  const vector = stage.spatial.at(-1);
  if (!vector || vector.size || vector.extent === 1 || stage.reduce.length === 0) return false;
  const canBe = (read: Access): boolean =>
    isVectorizableInside(read, vector.name) || isStrided(read, vector.name) || isTransposable(stage, read, vector.name);
  return stage.reads.every(canBe);
}

/** Longest stride of the lanes of a vector: a few of them are in one line of the cache. */
const longestStride = 4;

/** Says whether the elements along an axis are few elements apart, as those of a pool with a stride, or the same channel of pixels. */
export function isStrided(access: Access, axis: string): boolean {
  const stride = strideOf(access, axis);
  return stride > 1 && stride <= longestStride;
}

/** Elements from one step of an axis to the next; 0: the axis walks none or several dimensions, or an index is not affine. */
export function strideOf(access: Access, axis: string): number {
  const walk = walkOf(access, axis);
  return walk ? walk.step * access.pitches[walk.dim]! : 0;
}

export type ReduceAxis = SchedulableStage["reduce"][number];

/** Returns the axis that is summed over in vectors: the last one, or else the longest along which all operands lie. Null: there is none. */
export function alongReduction({ reduce, reads }: SchedulableStage): ReduceAxis | null {
  const isAlong = ({ name, extent }: ReduceAxis): boolean =>
    extent > 1 && reads.every((read) => isVectorizable(read, name));
  const last = reduce.at(-1);
  if (last && isAlong(last)) return last;
  const [longest] = reduce.filter(isAlong).toSorted((a, b) => b.extent - a.extent);
  return longest ?? null;
}

/** A dimension that an axis walks, and how many elements it goes with each step. */
export interface Walk {
  readonly dim: number;
  readonly step: number;
}

/** The one dimension that an axis walks upwards, alone or with others. Null: there is none, there are more, or an index is not affine. */
export function walkOf({ dims }: Access, axis: string): Walk | null {
  if (dims.includes(null)) return null;
  const walks = dims.flatMap((steps, dim) => {
    const step = steps!.get(axis) ?? 0;
    return step === 0 ? [] : [{ dim, step }];
  });
  return walks.length === 1 && walks[0]!.step > 0 ? walks[0]! : null;
}
