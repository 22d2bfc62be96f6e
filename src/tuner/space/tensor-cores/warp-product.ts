// Stage → the product of matrices that it is for the warps of a GPU; null: it is none. Every axis before the rows is a batch.
//
//   C[b, i, j] += A[b, i, k] · B[b, k, j]      batches b, rows i, columns j, depth k

import {
  type AcceleratorTarget,
  cudaMma,
  type Intrinsic,
  intrinsicsFor,
  loopName,
  warpTile,
} from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { type Access, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";

export interface Axis {
  readonly name: string;
  readonly extent: number;
  readonly loop: string;
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
}

/** Returns the product. All of its extents are whole tiles: nothing is cut off or padded. */
export function warpProduct(
  stage: SchedulableStage,
  { target, numerics }: TuningTask<AcceleratorTarget>,
): WarpProduct | null {
  if (stage.spatial.length < 2 || stage.reduce.length !== 1 || stage.spatial.some(({ isPart }) => isPart)) return null;
  const axes = [...stage.spatial, ...stage.reduce].map(({ name, extent }): Axis => {
    return { name, extent, loop: loopName(stage.name, name) };
  });
  const batches = axes.slice(0, -3);
  const [rows, columns, depth] = axes.slice(-3) as [Axis, Axis, Axis];
  if ([rows, columns, depth].some(({ extent }) => extent % warpTile !== 0)) return null;
  const left = stage.reads.find((read) => isMatrix(read, batches, rows, depth));
  const right = stage.reads.find((read) => isMatrix(read, batches, depth, columns));
  if (!left || !right || stage.reads.length !== 2) return null;
  const known = intrinsicsFor(stage.block, target, numerics).map((it) => it.intrinsic);
  const intrinsic = known.find((it) => cudaMma.includes(it) && it.meaning.buffers[1]?.dtype === left.dtype);
  return intrinsic ? { stage, batches, rows, columns, depth, left, right, intrinsic } : null;
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
