// Cost of an operator, and the operands that it reads more than once: derived from the ComputeDef alone, for rules and
// reports.

import { operandsFirst, parentsFirst } from "../support/graph.ts";
import { product } from "../support/integer-math.ts";
import type { ComputeDef, Stage } from "./compute-def.ts";
import { byteSize, type DType } from "./dtype.ts";
import { axesIn, children, readsIn } from "./expr-visit.ts";
import { interned } from "./interned.ts";
import type { Axis, ReadExpr, ScalarExpr } from "./scalar-expr.ts";

/** One read in the body of a stage. */
export interface OperandFacts {
  readonly tensor: string;
  readonly read: ReadExpr;
  readonly dtype: DType;
  /** Axes of the stage that the indices depend on, in the stage's order, reduce axes last. */
  readonly dependsOn: readonly string[];
  /** The other axes: along each, the same element is read again. Its extent is how often. */
  readonly reusedAlong: readonly Axis[];
  /** The axis whose step of 1 moves to the next element in memory; null if there is none. */
  readonly contiguousAlong: string | null;
}

export interface StageFacts {
  readonly name: string;
  /** Evaluations of the body: the product of all extents. */
  readonly iterations: number;
  /** Operations on values, those of the reduction included. */
  readonly flops: number;
  readonly operands: readonly OperandFacts[];
  readonly bytesWritten: number;
}

export interface OpFacts {
  readonly flops: number;
  /** Bytes of every input, each once. */
  readonly bytesRead: number;
  /** Bytes of every result, each once. */
  readonly bytesWritten: number;
  /** Operations for each byte that must move: what a roofline asks for. */
  readonly flopsPerByte: number;
  readonly stages: readonly StageFacts[];
}

/** @example factsOf(gemm512).flops === 2 * 512 ** 3 */
export function factsOf({ inputs, stages, outputs }: ComputeDef): OpFacts {
  const facts = stages.map(stageFacts);
  const flops = total(facts.map((stage) => stage.flops));
  const bytesRead = total(inputs.map(({ shape, dtype }) => product(shape) * byteSize[dtype]));
  const results = facts.filter(({ name }) => outputs.includes(name));
  const bytesWritten = total(results.map((stage) => stage.bytesWritten));
  return { flops, bytesRead, bytesWritten, flopsPerByte: flops / (bytesRead + bytesWritten), stages: facts };
}

export function stageFacts({ name, axes, reduce, body, dtype }: Stage): StageFacts {
  const all = [...axes, ...(reduce?.axes ?? [])];
  const iterations = product(all.map((axis) => axis.extent));
  const operations = operationsIn(body) + (reduce ? 1 : 0);
  const bytesWritten = product(axes.map((axis) => axis.extent)) * byteSize[dtype];
  const operands = readsIn(body).map((read) => operandFacts(read, all));
  return { name, iterations, flops: iterations * operations, operands, bytesWritten };
}

function operandFacts(read: ReadExpr, axes: readonly Axis[]): OperandFacts {
  const used = new Set(read.indices.flatMap(axesIn).map((axis) => axis.name));
  return {
    tensor: read.tensor,
    read,
    dtype: read.dtype,
    dependsOn: axes.filter((axis) => used.has(axis.name)).map((axis) => axis.name),
    reusedAlong: axes.filter((axis) => !used.has(axis.name)),
    contiguousAlong: contiguousAxis(read.indices),
  };
}

/** An axis that the last index has with the factor 1, and no other index has. Of several (y + ry) the first. */
function contiguousAxis(indices: readonly ScalarExpr[]): string | null {
  const last = indices.at(-1);
  if (!last) return null;
  const others = new Set(
    indices
      .slice(0, -1)
      .flatMap(axesIn)
      .map((axis) => axis.name),
  );
  return summands(last).find((name) => !others.has(name)) ?? null;
}

/** The axes that are added as they are: y and ry of `y + ry - 1`, none of `2 * y`. */
function summands(index: ScalarExpr): readonly string[] {
  if (index.kind === "axis") return [index.name];
  if (index.kind !== "binary") return [];
  if (index.op === "add") return [...summands(index.left), ...summands(index.right)];
  return index.op === "sub" ? summands(index.left) : [];
}

/**
 * Operations on values that come from tensors: one each for arithmetic, functions and comparisons; none for casts and
 * for arithmetic on axes, of which only the index and the guards are made. A value that is used several times counts
 * once. The dearer side of a select counts, with all that only this side uses.
 */
function operationsIn(body: ScalarExpr): number {
  const graph = interned(body);
  const costs = new Map<ScalarExpr, number>();
  const costOf = (node: ScalarExpr): number => costs.get(node)!;
  const ofValues = new Set<ScalarExpr>();
  for (const node of operandsFirst(graph, computedFrom)) {
    if (node.kind === "read" || computedFrom(node).some((operand) => ofValues.has(operand))) ofValues.add(node);
    const own = isOperation(node) && ofValues.has(node) ? 1 : 0;
    costs.set(node, own + total(evaluatedFor(node, costOf).map(costOf)));
  }
  const evaluated = parentsFirst(graph, (node) => evaluatedFor(node, costOf));
  return evaluated.filter((node) => isOperation(node) && ofValues.has(node)).length;
}

const isOperation = ({ kind }: ScalarExpr): boolean => kind === "unary" || kind === "binary";

/** Indices are no values. */
const computedFrom = (node: ScalarExpr): readonly ScalarExpr[] => (node.kind === "read" ? [] : children(node));

function evaluatedFor(node: ScalarExpr, costOf: (node: ScalarExpr) => number): readonly ScalarExpr[] {
  if (node.kind !== "select") return computedFrom(node);
  return [node.condition, costOf(node.then) >= costOf(node.else) ? node.then : node.else];
}

const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
