// An operator whose last axes are short, as the three channels of an image → the same operator with axes that everything walks together
// merged into one, which vectors go along. The elements lie as before, and sums are added up in the same order.
//
//   out[y, x, c] = A[y, x, c] · 2, c of three elements     →     out[y_x_c] = A[y_x_c] · 2
//   out[y, x, c] = A[y, x, c] + A[y, x + 1, c]             →     out[y, x_c] = A[y, x_c] + A[y, x_c + 3]

import {
  type Axis,
  binaryOf,
  type ComputeDef,
  integerOf,
  mapScalar,
  type ReadExpr,
  type ScalarExpr,
} from "../../../compiler/index.ts";
import { asWritten } from "../../data/computation.ts";
import { type SchedulableStage, schedulableStages, shapesOf } from "../draft/schedulable-stage.ts";
import { alongReduction, isVectorizableInside } from "../draft/vector-axis.ts";
import { inlinedStages } from "../fusion/inlined-stages.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";
import { type Joints, jointsOf, movedAxis } from "./merged-axes/joints.ts";

export const mergedAxes: AlgorithmRule = {
  name: "merged axes",
  applies({ op }) {
    const { op: merged } = mergedAxes.rewrite(op);
    return merged !== op && fillsVectors(schedulableStages(op), schedulableStages(merged));
  },
  rewrite(op) {
    const joints = jointsOf(op);
    return { ...asWritten(op), op: joints.size > 0 ? merge(op, joints) : op };
  },
};

/** Most elements that a vector of any machine has, and how much more of its lanes has to be filled to make up for another template. */
const mostLanes = 64;
const leastGain = 0.2;

/** Says whether vectors of some stage are much fuller than before. */
function fillsVectors(before: readonly SchedulableStage[], after: readonly SchedulableStage[]): boolean {
  const inlined = inlinedStages(before);
  return before.some((stage, at) => !inlined.has(stage.name) && filled(after[at]!) >= filled(stage) + leastGain);
}

/** Share of the lanes of the longest vectors that have something to do; 0: there are no vectors. */
function filled(stage: SchedulableStage): number {
  const last = stage.spatial.at(-1);
  const isMap = stage.reduce.length === 0 && last && stage.reads.every((read) => isVectorizableInside(read, last.name));
  const axis = stage.reduce.length > 0 ? alongReduction(stage) : isMap ? last : null;
  return axis ? axis.extent / (Math.ceil(axis.extent / mostLanes) * mostLanes) : 0;
}

function merge(op: ComputeDef, joints: Joints): ComputeDef {
  const shapes = shapesOf(op);
  const first = (name: string, count: number): readonly number[] =>
    Array.from({ length: count }, (_, dim) => dim).filter((dim) => dim === 0 || !joints.has(`${name} ${dim - 1}`));
  return {
    ...op,
    inputs: op.inputs.map((input) => {
      const { name, shape } = input;
      const starts = first(name, shape.length);
      return { ...input, shape: starts.map((from, at) => product(shape.slice(from, starts[at + 1]))) };
    }),
    stages: op.stages.map((stage) => {
      const spatial = run(stage.axes, first(stage.name, stage.axes.length));
      const summed = stage.reduce && run(stage.reduce.axes, first(`${stage.name} sum`, stage.reduce.axes.length));
      const named = new Map([...spatial, ...(summed ?? [])].flatMap(({ of, axis }) => of.map((name) => [name, axis])));
      const body = mapScalar(stage.body, (node) => {
        if (node.kind === "axis") return { ...node, name: named.get(node.name)!.name };
        return node.kind === "read" ? { ...node, indices: mergedIndices(node, shapes.get(node.tensor)!, first) } : node;
      });
      const axes = spatial.map(({ axis }) => axis);
      return {
        ...stage,
        axes,
        body,
        reduce: stage.reduce && { ...stage.reduce, axes: summed!.map(({ axis }) => axis) },
      };
    }),
  };
}

/** The indices at which runs of dimensions begin. An index some steps away is as many whole runs of the other dimensions away. */
function mergedIndices(
  { tensor, indices }: ReadExpr,
  shape: readonly number[],
  first: (name: string, count: number) => readonly number[],
): readonly ScalarExpr[] {
  const starts = first(tensor, indices.length);
  return starts.map((from, at) => {
    const steps = movedAxis(indices[from]!)?.steps ?? 0;
    const others = product(shape.slice(from + 1, starts[at + 1]));
    if (steps === 0 || others === 1) return indices[from]!;
    return binaryOf("add", indices[from]!, integerOf(steps * (others - 1)));
  });
}

/** The axes with those between two starts as one. */
const run = (axes: readonly Axis[], starts: readonly number[]): readonly { of: readonly string[]; axis: Axis }[] =>
  starts.map((from, at) => {
    const own = axes.slice(from, starts[at + 1]);
    const of = own.map(({ name }) => name);
    return { of, axis: { ...own[0]!, name: of.join("_"), extent: product(own.map(({ extent }) => extent)) } };
  });

const product = (extents: readonly number[]): number => extents.reduce((all, extent) => all * extent, 1);
