// The small axes by which an element-wise stage chooses its value: those that conditions compare with a constant, and nothing else.
//
//   select(a == 0, X, Y)  →  a        select(y mod 2 == 0, X, Y)  →  y mod 2

import { type Expr, walkExpr } from "../../../compiler/index.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { ChoiceAxis } from "./choice-body.ts";

/** Most alternatives along one axis that are unrolled. */
export const mostAlternatives = 8;

/** Returns the axes in the stage's order. The last axis is left out: it is for vectors. */
export function choicesOf({ block, spatial }: SchedulableStage): readonly ChoiceAxis[] {
  const found = new Map<string, ChoiceAxis>();
  walkExpr(block.value, (node) => {
    const choice = node.kind === "select" ? choiceOf(node.condition) : null;
    const axis = spatial.slice(0, -1).find(({ name }) => name === choice?.name);
    const count = choice?.modulus ?? axis?.extent ?? 0;
    if (choice && axis && count <= mostAlternatives) found.set(axis.name, choice);
  });
  return spatial.flatMap(({ name }) => found.get(name) ?? []);
}

/** Returns the axis of a condition `axis == 1` or `axis mod 2 == 1`; null for others. */
function choiceOf(condition: Expr): ChoiceAxis | null {
  if (condition.kind !== "binary" || condition.op !== "eq" || condition.right.kind !== "const") return null;
  const { left } = condition;
  if (left.kind === "var") return { name: left.name, modulus: null };
  if (left.kind !== "binary" || left.op !== "mod" || left.left.kind !== "var" || left.right.kind !== "const")
    return null;
  return { name: left.left.name, modulus: left.right.value };
}
