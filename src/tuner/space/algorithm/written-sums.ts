// Short sums, as the taps of a filter or the coordinates of a point → maps that name their few terms. Vectors of a map are loaded, picked and
// transposed as those of any other, rows of it can be kept (`rule/carry-rows.ts`), and no sum is in memory. The terms are added up in the same
// order.
//
//   C[y, x] = Σ over k: B[y + k, x] · w[k], k of three     →     C[y, x] = B[y, x] · w[0] + B[y + 1, x] · w[1] + B[y + 2, x] · w[2]

import {
  asCpu,
  binaryOf,
  type ComputeDef,
  type DType,
  integerOf,
  isFloat,
  mapScalar,
  reducerIdentity,
  reducerOp,
  remembered,
  type ScalarExpr,
  type Stage,
} from "../../../compiler/index.ts";
import { asWritten } from "../../data/computation.ts";
import { schedulableStages } from "../draft/schedulable-stage.ts";
import { keptStages } from "../fusion/kept-stages.ts";
import { rowWindows } from "../fusion/row-windows.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";

export const writtenSums: AlgorithmRule = {
  name: "sums written out",
  // A thread of a GPU has its short sums in registers without this.
  applies: ({ op, target }) => writtenOut(op) !== op && (asCpu(target) !== null || hasRows(writtenOut(op))),
  rewrite: (op) => ({ ...asWritten(op), op: writtenOut(op) }),
};

/** Most terms of a sum that is written out. */
const mostTerms = 25;

const writtenOut = remembered((op: ComputeDef): ComputeDef => {
  const stages = op.stages.map((stage) => (isShort(stage) ? asMap(stage) : stage));
  return stages.every((stage, at) => stage === op.stages[at]) ? op : { ...op, stages };
});

const isShort = ({ axes, reduce }: Stage): boolean =>
  axes.length > 0 && reduce !== null && reduce.axes.reduce((terms, { extent }) => terms * extent, 1) <= mostTerms;

function asMap(stage: Stage): Stage {
  const { reducer, axes } = stage.reduce!;
  const places = axes.reduce<readonly ReadonlyMap<string, number>[]>(
    (all, { name, extent }) =>
      all.flatMap((place) => Array.from({ length: extent }, (_, at) => new Map([...place, [name, at]]))),
    [new Map()],
  );
  const terms = places.map((place) =>
    mapScalar(stage.body, (node) => {
      const at = node.kind === "axis" ? place.get(node.name) : undefined;
      return at === undefined ? node : integerOf(at);
    }),
  );
  const op = reducerOp[reducer];
  return {
    ...stage,
    reduce: null,
    body: [...beginningOf(stage), ...terms].reduce((sum, term) => binaryOf(op, sum, term)),
  };
}

/** The value that a minimum or a maximum of floats begins with: what it makes of NaN depends on it. */
function beginningOf({ reduce, body: { dtype } }: Stage): readonly ScalarExpr[] {
  const { reducer } = reduce!;
  if (reducer === "sum" || reducer === "prod" || !isFloat(dtype)) return [];
  const value = reducerIdentity[reducer](dtype as Exclude<DType, "bool">);
  return [{ kind: "const", value, dtype, loc: null }];
}

/** Says whether rows of some stage are kept for another one. */
function hasRows(op: ComputeDef): boolean {
  const stages = schedulableStages(op);
  return stages.some((stage) => rowWindows(stage, keptStages(stage, stages), stages).length > 0);
}
