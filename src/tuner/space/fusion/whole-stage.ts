// A stage with all that is computed for its elements: stages that are inlined into it leave their operands to it.
//
//   T[i, j] = A[j, i]      Y[i, j] = max(T[i, j], 0)      →      Y[i, j] = max(A[j, i], 0)

import { type ComputeDef, rangesOf, readThrough, remembered, simplifyExpr } from "../../../compiler/index.ts";
import { readsOf, type SchedulableStage, shapesOf } from "../draft/schedulable-stage.ts";
import { inlinedWork } from "./inlined-stages.ts";

/**
 * Returns the stage where all stages but the kept ones are inlined that may be.
 *
 * @param stages all of the operator
 */
export function wholeStage(
  stages: readonly SchedulableStage[],
  stage: SchedulableStage,
  op: ComputeDef,
  kept: ReadonlySet<string> = new Set(),
): SchedulableStage {
  const known = wholeStages(stages);
  const key = [stage.name, ...[...kept].toSorted()].join();
  const found = known.get(key) ?? withInlined(stages, stage, op, kept);
  known.set(key, found);
  return found;
}

const wholeStages = remembered((_: readonly SchedulableStage[]) => new Map<string, SchedulableStage>());

function withInlined(
  stages: readonly SchedulableStage[],
  stage: SchedulableStage,
  op: ComputeDef,
  kept: ReadonlySet<string>,
): SchedulableStage {
  const { places, operations } = inlinedWork(stages, stage.name, kept);
  const inlined = stages.filter((it) => it !== stage && places.has(it));
  if (inlined.length === 0) return stage;
  const value = inlined.toReversed().reduce((whole, { block }) => readThrough(whole, block), stage.block.value);
  const block = { ...stage.block, value: simplifyExpr(value, rangesOf(stage.block.axes)) };
  return {
    ...stage,
    block,
    reads: readsOf(block, shapesOf(op)),
    operations,
    callsFunctions: stage.callsFunctions || inlined.some(({ callsFunctions }) => callsFunctions),
  };
}
