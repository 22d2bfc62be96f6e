// An operand that lies across the result of a map: the axis along which its elements lie side by side is not the last one. What such reads
// cost depends on whether a line of the cache is still there when its next element is read.

import { byteSize } from "../../../compiler/index.ts";
import { type Access, dependsOn, type SchedulableStage, type SpatialAxis } from "../draft/schedulable-stage.ts";
import { isStrided, isVectorizable, strideOf } from "../draft/vector-axis.ts";

/** Returns the axis of a map along which an operand lies, or else has elements few apart. Null: it lies along the last one, or along none. */
export function acrossAxis(read: Access, { spatial }: SchedulableStage): SpatialAxis | null {
  const last = spatial.at(-1);
  if (!last || isVectorizable(read, last.name)) return null;
  const others = spatial.slice(0, -1).filter(({ extent }) => extent > 1);
  const affine = affinePart(read);
  const beside = others.findLast(({ name }) => strideOf(affine, name) === 1 && !isElsewhere(read, name));
  return beside ?? others.findLast(({ name }) => isStrided(affine, name) && !isElsewhere(read, name)) ?? null;
}

/** The read without the dimensions whose index is not affine, as that of a pixel where pixels and channels are one axis. */
const affinePart = (read: Access): Access => ({ ...read, dims: read.dims.map((dim) => dim ?? new Map()) });

/** Says whether an axis is in an index that is not affine. */
const isElsewhere = ({ dims, axes }: Access, name: string): boolean =>
  axes.some((each, at) => dims[at] === null && each.has(name));

/** A tile of a map: rows of it, by the axis that an operand lies along, and elements of the last axis. */
export interface MapTile {
  readonly axis: string;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Counts the bytes that come for each byte of an operand that is asked for: more than one where lines leave a cache before they are used up.
 *
 * @param tile null: the loops go over all of the result, one axis inside the other
 */
export function bytesPerByte(
  read: Access,
  stage: SchedulableStage,
  tile: MapTile | null,
  cacheBytes: number,
  lineBytes: number,
): number {
  const across = acrossAxis(read, stage);
  if (!across) return 1;
  const inner = stage.spatial.slice(stage.spatial.indexOf(across) + 1).filter(({ name }) => dependsOn(read, name));
  const isTiled = tile?.axis === across.name;
  const lines = isTiled ? tile.columns : inner.reduce((count, { extent }) => count * extent, 1);
  const perLine = Math.max(1, lineBytes / (byteSize[read.dtype] * strideOf(affinePart(read), across.name)));
  const used = lines * lineBytes > cacheBytes ? 1 : isTiled ? Math.min(tile.rows, perLine) : perLine;
  return Math.min(perLine / used, perLine);
}
