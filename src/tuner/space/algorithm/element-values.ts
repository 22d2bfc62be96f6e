// Rewrites what is computed with the elements of tensors, node by node from the leaves up, with the values that each node can
// have. Integers that no element decides stay: they are places, which spaces look at as they are written.

import {
  type ComputeDef,
  foldScalar,
  type Interval,
  operandsOfScalar,
  type ScalarExpr,
  type Stage,
  stageValues,
  valuesIn,
  withOperands,
} from "../../../compiler/index.ts";

export type ValuesOf = (expr: ScalarExpr) => Interval;

/**
 * Returns what a node becomes; null: it stays, of rewritten operands.
 *
 * @param become the rewritten form of an operand of the node
 */
export type Rewrite = (
  node: ScalarExpr,
  valuesOf: ValuesOf,
  become: (operand: ScalarExpr) => ScalarExpr,
) => ScalarExpr | null;

/** The operator with rewritten stages; itself where nothing is. Indices stay as they are. */
export function rewriteElements(op: ComputeDef, rewrite: Rewrite): ComputeDef {
  const values = stageValues(op);
  const stages = op.stages.map((stage) => rewritten(stage, valuesIn(stage, values), rewrite));
  return stages.every((stage, at) => stage === op.stages[at]) ? op : { ...op, stages };
}

interface Rewritten {
  readonly expr: ScalarExpr;
  /** Whether an element of a tensor decides it. */
  readonly reads: boolean;
}

function rewritten(stage: Stage, valuesOf: ValuesOf, rewrite: Rewrite): Stage {
  const { expr: body } = foldScalar<Rewritten>(stage.body, (node, of) => {
    if (node.kind === "read") return { expr: node, reads: true };
    // Each operand is asked for once: an operand that is asked for twice asks for its own operands four times.
    const operands = new Map(operandsOfScalar(node).map((operand) => [operand, of(operand)]));
    const become = (operand: ScalarExpr): ScalarExpr => operands.get(operand)!.expr;
    const reads = [...operands.values()].some((operand) => operand.reads);
    const other = reads ? rewrite(node, valuesOf, become) : null;
    if (other) return [...operands.values()].find(({ expr }) => expr === other) ?? { expr: other, reads };
    const isSame = [...operands].every(([operand, { expr }]) => expr === operand);
    return { expr: isSame ? node : withOperands(node, become), reads };
  });
  return body === stage.body ? stage : { ...stage, body };
}
