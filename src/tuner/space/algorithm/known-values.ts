// Integers whose values follow from the ranges of what they are made of → these values: limits that nothing reaches, as those of a cast to
// bytes behind the author's own, remainders of smaller numbers, and choices that are always the same.
//
//   u8(min(max(min(max(i32(X[i]) - 16, 0), 219), 0), 255))    →    u8(min(max(i32(X[i]) - 16, 0), 219))

import {
  type BinaryExpr,
  type ComputeDef,
  foldScalar,
  type Interval,
  isInteger,
  operandsOfScalar,
  remembered,
  type ScalarExpr,
  type Stage,
  stageValues,
  valuesIn,
  withOperands,
} from "../../../compiler/index.ts";

/** The operator with these values; itself where there are none. Indices stay as they are. */
export const withKnownValues = remembered((op: ComputeDef): ComputeDef => {
  const values = stageValues(op);
  const stages = op.stages.map((stage) => settled(stage, valuesIn(stage, values)));
  return stages.every((stage, at) => stage === op.stages[at]) ? op : { ...op, stages };
});

type ValuesOf = (expr: ScalarExpr) => Interval;

interface Settled {
  readonly expr: ScalarExpr;
  /** Whether an element of a tensor decides it: other integers are places, which spaces look at as they are written. */
  readonly reads: boolean;
}

function settled(stage: Stage, valuesOf: ValuesOf): Stage {
  const { expr: body } = foldScalar<Settled>(stage.body, (node, of) => {
    if (node.kind === "read") return { expr: node, reads: true };
    // Asked for once: what an operand is asked for twice, its own are asked for four times.
    const operands = new Map(operandsOfScalar(node).map((operand) => [operand, of(operand)]));
    const exprOf = (operand: ScalarExpr): ScalarExpr => operands.get(operand)!.expr;
    const reads = [...operands.values()].some((operand) => operand.reads);
    const known = reads ? knownValue(node, valuesOf) : null;
    if (known) return known.kind === "const" ? { expr: known, reads } : operands.get(known)!;
    const isSame = [...operands].every(([operand, { expr }]) => expr === operand);
    return { expr: isSame ? node : withOperands(node, exprOf), reads };
  });
  return body === stage.body ? stage : { ...stage, body };
}

/** Returns the constant that the node is, or the operand. Null: it depends. */
function knownValue(node: ScalarExpr, valuesOf: ValuesOf): ScalarExpr | null {
  if (node.kind === "select") {
    const holds = decided(node.condition, valuesOf);
    return holds === null ? null : holds ? node.then : node.else;
  }
  if (!isInteger(node.dtype)) return null;
  const { min, max } = valuesOf(node);
  if (min === max) return { kind: "const", value: min, dtype: node.dtype, loc: node.loc };
  if (node.kind === "unary") return node.op === "abs" && valuesOf(node.operand).min >= 0 ? node.operand : null;
  return node.kind === "binary" ? sameAsOperand(node, valuesOf) : null;
}

function sameAsOperand({ op, left, right }: BinaryExpr, valuesOf: ValuesOf): ScalarExpr | null {
  const [a, b] = [valuesOf(left), valuesOf(right)];
  if (op === "min") return a.max <= b.min ? left : b.max <= a.min ? right : null;
  if (op === "max") return a.min >= b.max ? left : b.min >= a.max ? right : null;
  return op === "mod" && a.min >= 0 && a.max < b.min ? left : null;
}

/** Returns what a comparison of integers always is. Null: that depends. */
function decided(condition: ScalarExpr, valuesOf: ValuesOf): boolean | null {
  if (condition.kind !== "binary" || !isInteger(condition.left.dtype)) return null;
  const [a, b] = [valuesOf(condition.left), valuesOf(condition.right)];
  switch (condition.op) {
    case "lt":
      return a.max < b.min ? true : a.min >= b.max ? false : null;
    case "le":
      return a.max <= b.min ? true : a.min > b.max ? false : null;
    case "gt":
      return a.min > b.max ? true : a.max <= b.min ? false : null;
    case "ge":
      return a.min >= b.max ? true : a.max < b.min ? false : null;
    default:
      return null;
  }
}
