// Stage → the product of matrices that it is for the matrix unit; null: it is none. Windows and batches are products too:
//
//   C[i, j] += A[i, k] * B[k, j]                      rows i          columns j    depth k
//   out[n, y, x, f] += image[n, y + ry, x + rx, rc] * filter[ry, rx, rc, f]
//                                                     rows n, y, x    columns f    depth rc    taps ry, rx

import { type ComputeDef, intrinsicsFor, type Numerics, type Target } from "../../../src/compiler/index.ts";
import type { Access, SchedulableStage } from "../../../src/tuner/space/rule-authoring.ts";
import { product } from "../intrinsic.ts";
import { side } from "../machine.ts";

export interface Axis {
  readonly name: string;
  readonly extent: number;
}

export interface MatrixProduct {
  readonly stage: SchedulableStage;
  readonly rows: readonly Axis[];
  readonly columns: Axis;
  readonly taps: readonly Axis[];
  /** The reduce axis that vectors of inputs lie along, in whole vectors. */
  readonly depth: Axis;
  /** Whether the depth is longer than the operator's: its operands are padded. */
  readonly isPadded: boolean;
  readonly inputs: Access;
  readonly weights: Access;
}

export interface Asked {
  readonly op: ComputeDef;
  readonly target: Target;
  readonly numerics: Numerics;
}

export function matrixProduct(stage: SchedulableStage, asked: Asked): MatrixProduct | null {
  const [columns, depth] = [stage.spatial.at(-1), stage.reduce.at(-1)];
  if (!columns || !depth || stage.spatial.some(({ isPart, isOutside }) => isPart || isOutside)) return null;
  const isProduct = intrinsicsFor(stage.block, asked.target, asked.numerics).some(
    (it) => it.intrinsic.name === product.name,
  );
  const inputs = stage.reads.find((read) => isAlong(read, -1, depth.name) && !mentions(read, columns.name));
  const weights = stage.reads.find((read) => isAlong(read, -1, columns.name) && isAlong(read, -2, depth.name));
  if (!isProduct || !inputs || !weights || stage.reads.length > 2 || weights.guarded) return null;
  const isPadded = depth.extent % side !== 0;
  if (isPadded && !canPad(stage, [inputs, weights], asked)) return null;
  const taps = stage.reduce.slice(0, -1);
  const whole = { name: depth.name, extent: Math.ceil(depth.extent / side) * side };
  return { stage, rows: stage.spatial.slice(0, -1), columns, taps, depth: whole, isPadded, inputs, weights };
}

const mentions = ({ axes }: Access, axis: string): boolean => axes.some((names) => names.has(axis));

/** Says whether the axis alone, element by element, walks a dimension, counted from the last (−1). */
function isAlong({ dims }: Access, at: number, axis: string): boolean {
  const dim = dims.at(at);
  return dim?.size === 1 && dim.get(axis) === 1 && dims.filter((it) => it?.has(axis)).length === 1;
}

/** Zeros can follow the depth where it ends with its operands, and no window has padding of its own. */
function canPad({ reduce }: SchedulableStage, reads: readonly Access[], { op }: Asked): boolean {
  const [depth, ...others] = reduce;
  const ends = ({ buffer, dims }: Access): boolean => {
    const shape = op.inputs.find(({ name }) => name === buffer)?.shape;
    return shape?.[dims.findIndex((it) => it?.has(depth?.name ?? ""))] === depth?.extent;
  };
  return others.length === 0 && reads.every((read) => !read.guarded && ends(read));
}
