// Groups tasks that are the same but for their sizes: what is known of one is a start for the others. Task → family, extents.

import {
  type ComputeDef,
  mapScalar,
  printComputeDef,
  type ScalarExpr,
  type Stage,
  sha256,
} from "../../compiler/index.ts";
import type { TuningTask } from "./task.ts";

/** Extents of an operator's axes by stage and axis: { "C.i": 512, "C.j": 512, "C.k": 768 }. */
export type Extents = Readonly<Record<string, number>>;

export const extentsOf = ({ stages }: ComputeDef): Extents =>
  Object.fromEntries(
    stages.flatMap((stage) => axesOf(stage).map(({ name, extent }) => [`${stage.name}.${name}`, extent])),
  );

const axesOf = ({ axes, reduce }: Stage): Stage["axes"] => [...axes, ...(reduce?.axes ?? [])];

/**
 * Digest of the operator with all sizes left out, its name too, and of the options that change its space: GEMMs of any
 * shape are one family, those of other types or with another epilogue are another. Constants other than 0, 1 and −1 may
 * come from sizes (a border's `< 56`, a mean's `1 / 1024`), so they are left out: structure alone tells the computation.
 */
export const familyOf = ({ op, numerics, constants = [] }: TuningTask): string =>
  sha256([printComputeDef(withoutSizes(op)), numerics, ...[...constants].sort()].join("\n"));

/** Name of tasks that reach about the same throughput: one family on one target. */
export const familyOnTarget = (task: TuningTask): string => `${task.target.name} ${familyOf(task)}`;

const withoutSizes = ({ inputs, stages, ...op }: ComputeDef): ComputeDef => ({
  ...op,
  name: "family",
  inputs: inputs.map((input) => ({ ...input, shape: input.shape.map(() => 1) })),
  stages: stages.map(stageWithoutSizes),
});

const ofAnySize = (axes: Stage["axes"]): Stage["axes"] => axes.map(({ name }) => ({ name, extent: 1 }));

const stageWithoutSizes = (stage: Stage): Stage => ({
  ...stage,
  axes: ofAnySize(stage.axes),
  reduce: stage.reduce && { ...stage.reduce, axes: ofAnySize(stage.reduce.axes) },
  body: mapScalar(stage.body, anyConstant),
});

/** Stands for every left-out constant: any number that is not kept as itself. */
const placeholder = 2;

const anyConstant = (expr: ScalarExpr): ScalarExpr =>
  expr.kind === "const" && isSizeLike(expr.value) ? { ...expr, value: placeholder } : expr;

const isSizeLike = (value: number): boolean => Number.isFinite(value) && Math.abs(value) !== 1 && value !== 0;

/**
 * Returns octaves between two shapes of one family, summed over their axes; infinite where they do not have the same axes.
 */
export function shapeDistance(left: Extents, right: Extents): number {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return Number.POSITIVE_INFINITY;
  return names.reduce((sum, name) => sum + Math.abs(Math.log2(left[name]! / (right[name] ?? 0))), 0);
}
