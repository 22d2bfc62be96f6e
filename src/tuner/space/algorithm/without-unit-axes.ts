// An operator whose last axes have one element, as a column of a matrix → the same operator without these. Vectors go along the last axis
// of a result or of a sum, and find nothing there. The elements lie as before.
//
//   C[i, j] = Σ over k: A[i, k] · B[k, j], j of one element     →     C[i] = Σ over k: A[i, k] · B[k]

import {
  type Axis,
  type ComputeDef,
  indexForm,
  integerOf,
  mapScalar,
  type ReadExpr,
  readsIn,
  type Stage,
} from "../../../compiler/index.ts";
import { asWritten } from "../../data/computation.ts";
import { type SchedulableStage, schedulableStages } from "../draft/schedulable-stage.ts";
import { alongReduction, isTileable, isVectorizableInside } from "../draft/vector-axis.ts";
import { inlinedStages } from "../fusion/inlined-stages.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";

export const withoutUnitAxes: AlgorithmRule = {
  name: "without unit axes",
  applies: ({ op }) => hasUnit(op) && gainsVectors(schedulableStages(op), schedulableStages(squeezed(op))),
  rewrite: (op) => ({ ...asWritten(op), op: squeezed(op) }),
};

const hasUnit = ({ inputs, stages }: ComputeDef): boolean =>
  [
    ...inputs.flatMap(({ shape }) => shape),
    ...stages.flatMap(({ axes, reduce }) => [...axes, ...(reduce?.axes ?? [])].map(({ extent }) => extent)),
  ].includes(1);

/** Says whether some stage has an axis for vectors, or operands along it, or a sum has them along its results, which it had not. */
function gainsVectors(before: readonly SchedulableStage[], after: readonly SchedulableStage[]): boolean {
  const inlined = inlinedStages(before);
  return before.some((stage, at) => !inlined.has(stage.name) && rankOf(after[at]!) > rankOf(stage));
}

function rankOf(stage: SchedulableStage): number {
  const last = stage.spatial.at(-1);
  if (stage.reduce.length > 0) return isTileable(stage) ? 2 : alongReduction(stage) ? 1 : 0;
  if (!last || last.extent === 1) return 0;
  return stage.reads.every((read) => isVectorizableInside(read, last.name)) ? 2 : 1;
}

function squeezed(op: ComputeDef): ComputeDef {
  const stages = op.stages.map(atFirstElements);
  const reads = stages.flatMap(({ body }) => readsIn(body));
  const kept = new Map<string, readonly number[]>([
    ...op.inputs.map(({ name, shape }) => [name, keptDims(shape, readsOf(name, reads))] as const),
    ...stages.map(({ name, axes }) => [name, keptDims(extentsOf(axes), readsOf(name, reads))] as const),
  ]);
  const keep = <T>(name: string, dims: readonly T[]): readonly T[] => kept.get(name)!.map((dim) => dims[dim]!);
  return {
    ...op,
    inputs: op.inputs.map((input) => ({ ...input, shape: keep(input.name, input.shape) })),
    stages: stages.map((stage) => ({
      ...stage,
      axes: keep(stage.name, stage.axes),
      body: mapScalar(stage.body, (node) =>
        node.kind === "read" ? { ...node, indices: keep(node.tensor, node.indices) } : node,
      ),
    })),
  };
}

/** The stage with 0 in place of axes of one element; a sum keeps one axis. */
function atFirstElements(stage: Stage): Stage {
  const { axes, reduce, body } = stage;
  const summed =
    reduce &&
    atLeastOne(
      reduce.axes,
      reduce.axes.filter(({ extent }) => extent > 1),
    );
  const still = new Set([...axes, ...(reduce?.axes ?? [])].flatMap(({ name, extent }) => (extent === 1 ? [name] : [])));
  return {
    ...stage,
    reduce: reduce && { ...reduce, axes: summed! },
    body: mapScalar(body, (node) => (node.kind === "axis" && still.has(node.name) ? integerOf(0) : node)),
  };
}

/** Positions of the dimensions that stay: those of several elements, and those that are read at other places than 0, as padding is. */
function keptDims(shape: readonly number[], reads: readonly ReadExpr[]): readonly number[] {
  const isStill = (dim: number): boolean =>
    reads.every(({ indices }) => {
      const { terms, constant } = indexForm(indices[dim]!);
      return terms.length === 0 && constant === 0;
    });
  const dims = [...shape.keys()];
  return atLeastOne(
    dims,
    dims.filter((dim) => shape[dim]! > 1 || !isStill(dim)),
  );
}

const atLeastOne = <T>(all: readonly T[], some: readonly T[]): readonly T[] =>
  some.length > 0 ? some : all.slice(0, 1);

const readsOf = (name: string, reads: readonly ReadExpr[]): readonly ReadExpr[] =>
  reads.filter(({ tensor }) => tensor === name);

const extentsOf = (axes: readonly Axis[]): readonly number[] => axes.map(({ extent }) => extent);
