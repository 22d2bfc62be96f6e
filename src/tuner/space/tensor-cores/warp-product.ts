// Stage → the products of matrices that it is for tensor cores, one for each instruction that may compute its tiles. Every axis before
// the rows is a batch.
//
//   C[b, i, j] += A[b, i, k] · B[b, k, j]      batches b, rows i, columns j, depth k

import {
  type AcceleratorTarget,
  cudaMma,
  cudaWgmma,
  groupTile,
  type Intrinsic,
  intrinsicsFor,
  loopName,
  warpLanes,
  warpTile,
} from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { type Access, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";

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
}

export interface WarpProduct {
  readonly stage: SchedulableStage;
  readonly batches: readonly Axis[];
  readonly rows: Axis;
  readonly columns: Axis;
  readonly depth: Axis;
  /** The operand that rows of the result depend on, and the one that columns do. */
  readonly left: Access;
  readonly right: Access;
  readonly intrinsic: Intrinsic;
  readonly tile: TileShape;
}

type Asked = TuningTask<AcceleratorTarget>;

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
  if (cudaMma.includes(intrinsic))
    return { rows: warpTile, columns: warpTile, depth: warpTile, lanes: warpLanes, panel: null };
  if (!cudaWgmma.includes(intrinsic)) return null;
  const { rows, depth, panel, lanes } = groupTile;
  return { rows, columns: (intrinsic.meaning.buffers[0]?.shape[0] ?? 0) / rows, depth, lanes, panel };
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
  const left = stage.reads.find((read) => isMatrix(read, batches, rows, depth));
  const right = stage.reads.find((read) => isMatrix(read, batches, depth, columns));
  if (!left || !right || stage.reads.length !== 2 || intrinsic.meaning.buffers[1]?.dtype !== left.dtype) return null;
  return { stage, batches, rows, columns, depth, left, right, intrinsic, tile };
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
