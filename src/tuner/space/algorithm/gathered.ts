// Products on tensor cores whose operands do not lie as these want them: both are gathered into matrices of whole tiles before, and the results
// are taken from those of the matrices. So convolutions get them (as im2col), products with transposed matrices, and extents that are no
// multiples of a tile. The sums are of the same products, so they are rounded as those of any product on tensor cores.

import type { AcceleratorTarget, ComputeDef, Stage, Target } from "../../../compiler/index.ts";
import { asWritten, type Computation } from "../../data/computation.ts";
import type { TuningTask } from "../../data/task.ts";
import { gpuSizes } from "../../prior/tensor-core-sizes.ts";
import { schedulableStages } from "../draft/schedulable-stage.ts";
import { hasTiling } from "../tensor-cores/has-tiling.ts";
import { warpProducts } from "../tensor-cores/warp-product.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";
import { type MatrixProduct, matrixProductOf } from "./gathered/product.ts";
import { bytesOf, gatheredStages, surplusOf } from "./gathered/stages.ts";
import { mergeIntoReader } from "./merge-into-reader.ts";

export const gathered: AlgorithmRule = {
  name: "gathered matrices",

  applies(task) {
    const { op } = rewrite(task.op);
    return op !== task.op && areOnTensorCores(op, task);
  },

  rewrite,
};

function rewrite(op: ComputeDef): Computation {
  return { ...asWritten(op), op: op.stages.reduce(rewriteStage, op) };
}

function rewriteStage(op: ComputeDef, stage: Stage): ComputeDef {
  const product = matrixProductOf(stage);
  const stages = product && isWorthIt(product) ? gatheredStages(product) : null;
  if (!stages) return op;
  const { before, result } = stages;
  return mergeIntoReader(
    { ...op, stages: op.stages.flatMap((it) => (it === stage ? [...before, result] : [it])) },
    result,
  );
}

function isWorthIt(product: MatrixProduct): boolean {
  const { leastGathered, mostSurplus, mostGatheredBytes } = gpuSizes;
  const sizes = [product.rows, product.columns].map((axes) => axes.reduce((size, { extent }) => size * extent, 1));
  const isLarge = sizes.every((size) => size >= leastGathered);
  return isLarge && surplusOf(product) <= mostSurplus && bytesOf(product) <= mostGatheredBytes;
}

/** Says whether tensor cores have all products of gathered matrices. */
function areOnTensorCores(op: ComputeDef, task: TuningTask<Target>): boolean {
  const own = { ...task, op } as TuningTask<AcceleratorTarget>;
  const products = schedulableStages(op).filter(
    (stage) => !task.op.stages.some(({ name }) => name === stage.name) && stage.reduce.length > 0,
  );
  return (
    products.length > 0 &&
    products.every((stage) => warpProducts(stage, own).some((product) => hasTiling(product, own.target)))
  );
}
