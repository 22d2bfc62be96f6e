// Sum of products of bytes → the instruction that adds up four of them at once, where both operands lie in whole words along the depth.
//
//   C[i, j] += A[i, k] · B[j, k]      k → words, and the elements of each, which the instruction takes

import {
  type AcceleratorTarget,
  intrinsicsFor,
  loopName,
  toAffine,
  type WordDotText,
  walkExpr,
  wordElements,
} from "../../../compiler/index.ts";
import type { Access, SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { depthOf, elementsOf, operationsIn } from "../estimate/group-load.ts";
import type { ByteDot } from "./byte-words.ts";
import type { TiledSum } from "./sum-axes.ts";

type Context = Pick<RuleContext<AcceleratorTarget>, "task">;

/** @param depth the reduce axis that is cut. Null: no instruction computes the sum, or operands do not lie in words along it */
export function byteDotOf(stage: SchedulableStage, depth: string, { task }: Context): ByteDot | null {
  const { extent } = stage.reduce.find(({ name }) => name === depth)!;
  const isFit = extent % wordElements === 0 && stage.reads.every((read) => liesInWords(read, stage, depth, task));
  const [found] = isFit ? intrinsicsFor(stage.block, task.target, task.numerics) : [];
  const text = found?.intrinsic.text.wgsl as WordDotText | undefined;
  if (!found || text?.kind !== "words") return null;
  const cut = loopName(stage.name, depth);
  return { intrinsic: found.intrinsic.name, operations: text.operations, cut, elements: `${cut}.1` };
}

/** Says whether an operand is an input, neighbours along the depth are neighbours in it, and its rows are whole words. */
function liesInWords(
  { buffer, dims, axes, guarded, count }: Access,
  { block }: SchedulableStage,
  depth: string,
  { op }: Context["task"],
): boolean {
  const input = op.inputs.find(({ name }) => name === buffer);
  const last = dims.at(-1);
  let isWhole = !guarded && count === 1 && last?.size === 1 && last.get(depth) === 1;
  isWhole &&= axes.slice(0, -1).every((names) => !names.has(depth)) && dims.every((dim) => dim !== null);
  walkExpr(block.value, (expr) => {
    if (expr.kind !== "load" || expr.buffer !== buffer) return;
    isWhole &&= toAffine(expr.indices.at(-1)!).constant % wordElements === 0;
  });
  return isWhole && (input?.shape.at(-1) ?? 1) % wordElements === 0;
}

/** The sum with words in the place of the elements of its depth, and no vectors beside these. */
export function inWords(tiles: TiledSum, dot: ByteDot): TiledSum {
  const { tiled, depth } = tiles;
  const scalar = tiled.map((axis) => ({ ...axis, lanes: [1] }));
  return {
    ...tiles,
    tiled: scalar,
    columns: scalar.at(-1)!,
    depth: { ...depth, extent: depth.extent / wordElements, loop: `${dot.cut}.0` },
    dot,
  };
}

/** Operations of a sum. */
export const operationsBy = (dot: ByteDot | null, stage: SchedulableStage): number =>
  dot ? (dot.operations * elementsOf(stage) * depthOf(stage)) / wordElements : operationsIn(stage);
