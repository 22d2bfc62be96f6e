// A stage that multiplies two matrices, as instructions on tiles see it: its left operand, its right operand, and the
// axes that are whole tiles.

import { byteSize, type Intrinsic, intrinsicsFor, loopName } from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { coreOf } from "../../prior/machine-model.ts";
import { type Access, dependsOn, isPlain, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { endsWith, padName } from "../tiling/padded-reduction.ts";
import type { TiledAxis } from "../tiling/tiled-axis.ts";

export interface MatrixProduct {
  readonly stage: SchedulableStage;
  readonly intrinsic: Intrinsic;
  /** The rows' operand and the columns', as they are read once they are padded. */
  readonly left: Access;
  readonly right: Access;
  readonly axes: readonly TiledAxis[];
  /** Rows of a tile, and columns of one of sums. */
  readonly side: number;
  /** Elements of the reduce axis that a lane adds up, and that a tile takes. */
  readonly group: number;
  readonly depth: number;
}

export function matrixProduct(stage: SchedulableStage, context: RuleContext): MatrixProduct | null {
  const [row, column] = stage.spatial.slice(-2);
  const [reduce] = stage.reduce;
  if (!row || !column || !reduce || stage.reduce.length > 1 || stage.spatial.some(({ isPart }) => isPart)) return null;
  // A vector is no matrix: its tiles would have fifteen empty rows in sixteen.
  if (row.extent === 1 || column.extent === 1) return null;
  const operands = matrices(stage, row.name, column.name, (read) => endsWith(read, reduce, context));
  const intrinsic = operands && intrinsicOn(operands, stage, context.task);
  if (!operands || !intrinsic) return null;
  const { tileSide: side, tileGroupBytes } = coreOf(context.task.target);
  const group = tileGroupBytes / byteSize[operands.left.dtype];
  const depth = side * group;
  const extent = Math.ceil(reduce.extent / depth) * depth;
  const padded = (read: Access): Access =>
    extent === reduce.extent ? read : { ...read, buffer: padName(read.buffer) };
  const axes = stage.spatial.map((axis): TiledAxis => {
    const role = axis === column ? "vector" : axis === row ? "spatial" : "outer";
    return { axis, role, loop: loopName(stage.name, axis.name), lanes: role === "outer" ? 1 : side, isTiled: true };
  });
  const loop = loopName(stage.name, reduce.name);
  const last: TiledAxis = { axis: { ...reduce, extent }, role: "reduce", loop, lanes: depth, isTiled: false };
  const [left, right] = [padded(operands.left), padded(operands.right)];
  return { stage, intrinsic, left, right, axes: [...axes, last], side, group, depth };
}

type Matrices = Pick<MatrixProduct, "left" | "right">;

/** The operand that rows of the result depend on, and the one that columns do. */
function matrices(
  { reads }: SchedulableStage,
  row: string,
  column: string,
  isWhole: (read: Access) => boolean,
): Matrices | null {
  const left = reads.find((read) => dependsOn(read, row) && !dependsOn(read, column));
  const right = reads.find((read) => dependsOn(read, column) && !dependsOn(read, row));
  if (!left || !right || reads.length > 2) return null;
  return reads.every((read) => isPlain(read) && !read.guarded && isWhole(read)) ? { left, right } : null;
}

function intrinsicOn({ left, right }: Matrices, { block }: SchedulableStage, task: TuningTask): Intrinsic | null {
  const found = intrinsicsFor(block, task.target, task.numerics).find(({ intrinsic: { operands, meaning } }) => {
    const [, a, b] = meaning.buffers;
    return operands === "tiles" && a?.dtype === left.dtype && b?.dtype === right.dtype;
  });
  return found?.intrinsic ?? null;
}

export const loopsOf = ({ stage, axes }: MatrixProduct) => {
  const [row, column] = ["spatial", "vector"].map((role) => axes.find((it) => it.role === role)!.loop) as [
    string,
    string,
  ];
  return { row, column, reduce: loopName(stage.name, stage.reduce[0]!.name) };
};

export const isPadded = ({ left }: MatrixProduct): boolean => left.buffer.endsWith(".pad");

/** Says whether the operand is laid out once for all calls. A buffer that is read at two places would need two layouts, so it is not. */
export const isConstant = ({ buffer, isSole }: Access, { stage }: MatrixProduct): boolean =>
  isSole && stage.shared?.some((name) => buffer === name || buffer === padName(name)) === true;

/** Says whether rows of the left operand lie as the reduction walks them. */
export const isAlongReduction = ({ left, stage }: MatrixProduct): boolean =>
  left.dims.at(-1)?.has(stage.reduce[0]!.name) === true;

export const isWhole = ({ axes, side }: MatrixProduct, role: TiledAxis["role"]): boolean =>
  axes.find((it) => it.role === role)!.axis.extent % side === 0;
