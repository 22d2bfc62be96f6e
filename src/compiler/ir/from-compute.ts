// ComputeDef → the naive loop nest: one nest of serial loops around one block a stage, in the order of the stages. This
// is the schedule that every trace starts from.
//
//   C[i, j] = sum(A[i, k] * B[k, j], k)   →   for C.i, for C.j, for C.k: block C (i, j, k)
//                                               C[i, j] += A[i, k] * B[k, j]      init 0

import type { ComputeDef, Stage } from "../expr/compute-def.ts";
import { foldScalar } from "../expr/expr-visit.ts";
import { interned } from "../expr/interned.ts";
import type { ScalarExpr } from "../expr/scalar-expr.ts";
import { reducerIdentity, reducerOp } from "../expr/scalar-math.ts";
import { invariant } from "../support/invariant.ts";
import { localBuffer, parameterBuffer } from "./buffer.ts";
import { block, constOf, forLoop, loadOf, variable } from "./build.ts";
import { exprKey } from "./expr-key.ts";
import type { Block, BlockAxis, Expr, Load, LoopFunc, Stmt } from "./loop-ir.ts";

export function fromCompute(def: ComputeDef, name: string = def.name): LoopFunc {
  const isOutput = (stage: Stage): boolean => def.outputs.includes(stage.name);
  const inputs = def.inputs.map((input) => parameterBuffer(input, "input"));
  const outputs = def.outputs.map((output) =>
    parameterBuffer(elementsOf(def.stages.find((stage) => stage.name === output)!), "output"),
  );
  const rest = def.stages.filter((stage) => !isOutput(stage)).map((stage) => localBuffer(elementsOf(stage)));
  return {
    name,
    buffers: [...inputs, ...outputs, ...rest],
    body: { kind: "seq", body: def.stages.map(nestOf) },
  };
}

const elementsOf = ({ name, dtype, axes }: Stage) => ({ name, dtype, shape: axes.map(({ extent }) => extent) });

/** The name of the loop that first stands for an axis of a stage. */
export const loopName = (stage: string, axis: string): string => `${stage}.${axis}`;

function nestOf(stage: Stage): Stmt {
  const axes: BlockAxis[] = [
    ...stage.axes.map(({ name, extent }): BlockAxis => ({ name, extent, role: "spatial" })),
    ...(stage.reduce?.axes ?? []).map(({ name, extent }): BlockAxis => ({ name, extent, role: "reduce" })),
  ];
  return axes.reduceRight<Stmt>(
    (body, { name, extent }) => forLoop(loopName(stage.name, name), extent, body),
    blockOf(stage, axes),
  );
}

function blockOf(stage: Stage, axes: readonly BlockAxis[]): Block {
  const indices = stage.axes.map((axis) => variable(axis.name));
  const element = toIr(interned(stage.body), new Map());
  const { name } = stage;
  const bindings = axes.map((axis) => variable(loopName(name, axis.name)));
  if (!stage.reduce) return block({ name, axes, bindings, buffer: name, indices, value: element });
  const { dtype } = stage;
  invariant(dtype !== "bool", "the language reduces numbers only");
  const sum = loadOf({ name, dtype }, indices);
  const { reducer } = stage.reduce;
  const value: Expr = { kind: "binary", dtype, op: reducerOp[reducer], left: sum, right: element };
  return block({
    name,
    axes,
    bindings,
    buffer: name,
    indices,
    init: constOf(dtype, reducerIdentity[reducer](dtype)),
    value,
  });
}

/**
 * A scalar expression with axes as variables; the shapes of the two languages are the same otherwise. Equal reads become
 * one object in `reads`, so that primitives rewrite each but once.
 */
const toIr = (expr: ScalarExpr, reads: Map<string, Load>): Expr =>
  foldScalar<Expr>(expr, (node, of) => {
    const made = nodeOf(node, of);
    return made.kind === "load" ? shared(made, reads) : made;
  });

function nodeOf(expr: ScalarExpr, of: (operand: ScalarExpr) => Expr): Expr {
  const { dtype } = expr;
  switch (expr.kind) {
    case "const":
      return { kind: "const", dtype, value: expr.value };
    case "axis":
      return { kind: "var", dtype: "i32", name: expr.name };
    case "read":
      return { kind: "load", dtype, buffer: expr.tensor, indices: expr.indices.map(of), active: null };
    case "unary":
      return { kind: "unary", dtype, op: expr.op, operand: of(expr.operand) };
    case "binary":
      return { kind: "binary", dtype, op: expr.op, left: of(expr.left), right: of(expr.right) };
    case "select":
      return { kind: "select", dtype, condition: of(expr.condition), then: of(expr.then), else: of(expr.else) };
    case "cast":
      return { kind: "cast", dtype, operand: of(expr.operand) };
  }
}

function shared(load: Load, reads: Map<string, Load>): Load {
  const key = exprKey(load);
  const known = reads.get(key);
  if (known) return known;
  reads.set(key, load);
  return load;
}
