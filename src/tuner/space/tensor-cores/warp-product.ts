// Stage → the products of matrices that it is for tensor cores, one for each instruction that may compute its tiles. Every axis before
// the rows is a batch.
//
//   C[b, i, j] += A[b, i, k] · B[b, k, j]      batches b, rows i, columns j, depth k
//   C[b, i, j] += A[b, i, k] · B[b, j, k]      of bytes, the copies of which lie along the depth

import {
  type AcceleratorTarget,
  byteSize,
  cudaWgmma,
  type GroupProductText,
  groupTile,
  type Intrinsic,
  intrinsicsFor,
  loopName,
  warpLanes,
  warpProductOf,
  warpTile,
} from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { type Access, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { Parts } from "../parts/parts.ts";

export interface Axis {
  readonly name: string;
  readonly extent: number;
  readonly loop: string;
  /** Elements of a tile along it. */
  readonly tile: number;
}

/** How an instruction of tensor cores has its tile. */
export interface TileShape {
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
  /** Lanes that hold a tile of sums together. */
  readonly lanes: number;
  /** Elements of a row of a panel, where it reads operands in the memory of the group; null: they are loaded into registers. */
  readonly panel: number | null;
  /** Bytes of an element of an operand. */
  readonly bytes: number;
  /** Whether rows of the right operand run along the depth, as those of the left one do; else they run along the columns. */
  readonly isAlongDepth: boolean;
}

/**
 * How tiles of operands come to the memory of a group: all threads copy them piece by piece, or one thread has them copied as boxes. That one
 * computes as the others do, or is one of further threads, which compute nothing. Persistent groups compute several parts of the result, one after
 * another, and copy for the next one while they finish one.
 */
export type Copying =
  | "by threads"
  | "by boxes"
  | "by boxes, warp-specialized"
  | "by boxes, warp-specialized, persistent";

export interface WarpProduct {
  readonly stage: SchedulableStage;
  readonly batches: readonly Axis[];
  readonly rows: Axis;
  readonly columns: Axis;
  readonly depth: Axis;
  /** The operand that rows of the result depend on, and the one that columns do. */
  readonly left: Access;
  readonly right: Access;
  /** Operands whose rows do not run as the instruction wants them: their copies are turned. */
  readonly turned: readonly Access[];
  readonly intrinsic: Intrinsic;
  readonly tile: TileShape;
  readonly copying: Copying;
  /** Parts of the depth whose sums these are, each in groups of its own; null: the sums are of all of it. */
  readonly parts: Parts | null;
}

type Asked = TuningTask<AcceleratorTarget>;

export const isPersistent = ({ copying }: WarpProduct): boolean => copying.endsWith("persistent");
export const isSpecialized = ({ copying }: WarpProduct): boolean => copying.includes("warp-specialized");

/** Returns the products, the widest first. All of their extents are whole tiles: nothing is cut off or padded. */
export function warpProducts(stage: SchedulableStage, { target, numerics }: Asked): readonly WarpProduct[] {
  if (stage.spatial.length < 2 || stage.reduce.length !== 1 || stage.spatial.some(({ isPart }) => isPart)) return [];
  return intrinsicsFor(stage.block, target, numerics).flatMap(({ intrinsic }) => {
    const tile = tileOf(intrinsic);
    const product = tile && productOn(stage, intrinsic, tile);
    return product ? [product] : [];
  });
}

/** Says whether tensor cores may compute the stage. */
export const isWarpProduct = (stage: SchedulableStage, task: Asked): boolean => warpProducts(stage, task).length > 0;

function tileOf(intrinsic: Intrinsic): TileShape | null {
  const [sums, left] = intrinsic.meaning.buffers;
  const bytes = byteSize[left!.dtype];
  const text = warpProductOf(intrinsic);
  if (text) {
    const { isAlongDepth } = text;
    const depth = left!.shape[0]! / warpTile;
    return { rows: warpTile, columns: warpTile, depth, lanes: warpLanes, panel: null, bytes, isAlongDepth };
  }
  if (!cudaWgmma.includes(intrinsic)) return null;
  const { isAlongDepth } = intrinsic.text.cuda as GroupProductText;
  const { rows, lanes } = groupTile;
  const [depth, panel] = [groupTile.depth(left!.dtype), groupTile.panel(left!.dtype)];
  return { rows, columns: sums!.shape[0]! / rows, depth, lanes, panel, bytes, isAlongDepth };
}

function productOn(stage: SchedulableStage, intrinsic: Intrinsic, tile: TileShape): WarpProduct | null {
  const sizes = [...stage.spatial.slice(0, -2).map(() => 1), tile.rows, tile.columns, tile.depth];
  const axes = [...stage.spatial, ...stage.reduce].map(({ name, extent }, at): Axis => {
    return { name, extent, loop: loopName(stage.name, name), tile: sizes[at] ?? 1 };
  });
  const batches = axes.slice(0, -3);
  const [rows, columns, depth] = axes.slice(-3) as [Axis, Axis, Axis];
  const isWhole = [rows, columns, depth].every(({ extent, tile }) => extent % tile === 0);
  if (!isWhole || depth.extent % (tile.panel ?? 1) !== 0) return null;
  const matrix = (down: Axis, along: Axis): Access | undefined =>
    stage.reads.find((read) => isMatrix(read, batches, down, along));
  // Bytes are turned one by one on their way to the memory of the group; halves have an instruction that loads them by their columns.
  const canTurn = tile.isAlongDepth && tile.panel === null;
  const turnedLeft = canTurn ? matrix(depth, rows) : undefined;
  const turnedRight = canTurn ? matrix(depth, columns) : undefined;
  const left = matrix(rows, depth) ?? turnedLeft;
  const right = tile.isAlongDepth ? (matrix(columns, depth) ?? turnedRight) : matrix(depth, columns);
  const [, a, b] = intrinsic.meaning.buffers;
  if (!left || !right || stage.reads.length !== 2 || a?.dtype !== left.dtype || b?.dtype !== right.dtype) return null;
  const turned = [left, right].filter((access) => access === turnedLeft || access === turnedRight);
  return {
    stage,
    batches,
    rows,
    columns,
    depth,
    left,
    right,
    turned,
    intrinsic,
    tile,
    copying: "by threads",
    parts: null,
  };
}

/** Says whether the last two dimensions of an operand are walked by these axes, and those before them by batches. */
function isMatrix(access: Access, batches: readonly Axis[], down: Axis, along: Axis): boolean {
  const { dims, guarded, count } = access;
  const isWalked = (at: number, { name }: Axis): boolean => dims.at(at)?.get(name) === 1;
  const others = dims.slice(0, -2).flatMap((dim) => [...(dim?.keys() ?? [])]);
  return (
    !guarded &&
    count === 1 &&
    isPlain(access) &&
    isWalked(-2, down) &&
    isWalked(-1, along) &&
    others.every((name) => batches.some((batch) => batch.name === name))
  );
}
