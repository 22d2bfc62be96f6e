// A GPU behind WebGPU whose adapter offers subgroup matrices: the target of its class, and the facts of its matrices. WGSL has them as an
// experiment, whose names still move, so no build is made for such a target: it serves measurements and tests.

import type { AcceleratorTarget } from "./target.ts";

/** Facts of an adapter: the size of its subgroups, and the sizes and types of the matrices that they multiply. */
export interface SubgroupMatrices {
  /** Threads of every subgroup, a divisor of 32: an adapter whose subgroups differ in size has no such target. */
  readonly lanes: number;
  /** Rows and columns of a product, and its depth, in elements. */
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
  /** Types of operands that it multiplies: "f16", "s8", "u8". */
  readonly operands: readonly string[];
}

/** Feature of a machine that multiplies matrices of such operands. */
export const matrixFeature = (operands: string): string => `subgroup-matrix.${operands}`;

/** Sums and operands of products lie in registers of which WebGPU tells nothing: as many as on common GPUs. */
const registersPerProcessor = 64 * 1024;

/** @example withSubgroupMatrices(webgpu, { lanes: 8, rows: 8, columns: 8, depth: 8, operands: ["f16"] }) */
export const withSubgroupMatrices = (
  target: AcceleratorTarget,
  { lanes, rows, columns, depth, operands }: SubgroupMatrices,
): AcceleratorTarget => ({
  ...target,
  name: `${target.name}-subgroup-matrices`,
  features: [...target.features, ...operands.map(matrixFeature)],
  limits: {
    ...target.limits,
    registersPerProcessor,
    subgroupLanes: lanes,
    matrixRows: rows,
    matrixColumns: columns,
    matrixDepth: depth,
  },
});
