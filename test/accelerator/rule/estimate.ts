// What a schedule asks of the machine, as far as the sizes of its blocks say: the facts that `model.ts` predicts its time from.

import type { Estimate, RankingFacts } from "../../../src/tuner/space/rule-authoring.ts";
import { side } from "../machine.ts";
import type { MatrixProduct } from "./matrix-product.ts";
import { stays, staysOf, tileOf } from "./tiles.ts";

export const productEstimate =
  ({ stage, rows, columns, taps, depth }: MatrixProduct): Estimate =>
  (assignment): RankingFacts => {
    const value = (name: string): number => assignment[name] ?? 1;
    const blocksOf = (extent: number, tile: number): number => Math.ceil(extent / tile);
    const rowBlocks = product(rows.map((row) => blocksOf(row.extent, value(tileOf(stage, row)))));
    const columnBlocks = blocksOf(columns.extent, side * value(tileOf(stage, columns)));
    const depthBlocks = blocksOf(depth.extent, side * value(tileOf(stage, depth)));
    const stay = stays[value(staysOf(stage))] ?? "neither";
    const stages = `${stage.name}.`;
    // An operand that stays is loaded once a block of its own, the other one once a block of sums.
    const inputLoads = stay === "inputs" ? rowBlocks : rowBlocks * columnBlocks * depthBlocks;
    const weightLoads = stay === "weights" ? columnBlocks : rowBlocks * columnBlocks * depthBlocks;
    const inputs = inputLoads * value(`${stages}inputs${stay === "inputs" ? ".whole" : ""}`);
    const weights = weightLoads * value(`${stages}weights${stay === "weights" ? ".whole" : ""}`);
    const computed = product([...rows, columns, ...taps, depth].map(({ extent }) => extent));
    const sums = product([...rows, columns].map(({ extent }) => extent));
    return {
      ...none,
      flops: 2 * computed,
      bytesFromMemory: inputs + weights + 4 * sums,
      loopIterations: weights / side + inputs / (side * value(tileOf(stage, depth))),
      bodyInstructions: inputLoads + weightLoads * value(tileOf(stage, columns)),
    };
  };

const product = (factors: readonly number[]): number => factors.reduce((all, factor) => all * factor, 1);

const none: RankingFacts = {
  flops: 0,
  waste: 1,
  lanes: side * side,
  multiplyAddShare: 1,
  accumulators: 0,
  liveRegisters: 0,
  loadsPerOperation: 0,
  bytesFromL2: 0,
  bytesFromL3: 0,
  bytesFromMemory: 0,
  packedBytes: 0,
  loopIterations: 0,
  parallelTasks: 1,
  bodyInstructions: 0,
};
