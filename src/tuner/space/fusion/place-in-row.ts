// Moves a reduction under the loop over the rows of the stage that it belongs to. If both call functions for the same
// elements, as softmax does, a row of them is computed once, in vectors, before it is added up.
//
//   for i: for k: S[i] += exp(X[i, k])               for Y.i
//   for i: for j: Y[i, j] = exp(X[i, j]) / S[i]  →     for k: S.element[k] = exp(X[i, k])
//                                                      for k: S += S.element[k]
//                                                      for j: Y[i, j] = S.element[j] / S

import { computesElementOf, loopName } from "../../../compiler/index.ts";
import { type Draft, decide, instruct, tunable } from "../draft/draft.ts";
import { dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { isVectorizable } from "../draft/vector-axis.ts";
import { lanesFor } from "../draft/vector-lanes.ts";
import type { RowPlacement } from "./row-placement.ts";

export function placeInRow(
  draft: Draft,
  stage: SchedulableStage,
  placement: RowPlacement,
  context: RuleContext,
): Draft {
  const moved = instruct(draft, { kind: "compute-at", block: stage.name, loop: placement.loop });
  if (!sharesElements(stage, placement, context)) return moved;
  const named = decide(moved, `${stage.name}: its elements shared with ${placement.root}`);
  return shareElements(named, stage, placement, context);
}

/** Says whether the stage whose rows it belongs to computes, by costly functions, the same elements that this one adds up. */
function sharesElements(stage: SchedulableStage, { root }: RowPlacement, { stages }: RuleContext): boolean {
  const isRead = ({ name }: { readonly name: string }): boolean => stage.reads.some((read) => dependsOn(read, name));
  if (!stage.callsFunctions || ![...stage.spatial, ...stage.reduce].every(isRead)) return false;
  return computesElementOf(stage.block, stages.find(({ name }) => name === root)!.block);
}

function shareElements(draft: Draft, stage: SchedulableStage, { loop }: RowPlacement, { task }: RuleContext): Draft {
  const axis = stage.reduce.at(-1)!;
  const elements = `${stage.name}.element`;
  const placed = instruct(
    draft,
    { kind: "share-element", block: stage.name },
    { kind: "compute-at", block: elements, loop },
  );
  const lanes = lanesFor(stage, axis.extent, task.target);
  if (lanes === 1 || !stage.reads.every((read) => isVectorizable(read, axis.name))) return placed;
  const inner = loopName(elements, axis.name);
  const vectors = `${inner}.vectors`;
  const counts = [1, 2, 4].filter((count) => count <= Math.ceil(axis.extent / lanes));
  return instruct(
    tunable(placed, vectors, counts),
    { kind: "split", loop: inner, factors: [0, { tunable: vectors }, lanes], tail: "cut" },
    { kind: "vectorize", loop: `${inner}.2` },
    { kind: "unroll", loop: `${inner}.1` },
  );
}
