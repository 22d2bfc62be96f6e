// An operator → the fewest operations that compute it as it is written, by type and by what executes them: what its time cannot be
// shorter than. `factsOf` counts what is written; this leaves out what need not be done again and again.

import { operandsFirst } from "../support/graph.ts";
import { product } from "../support/integer-math.ts";
import type { ComputeDef, Stage } from "./compute-def.ts";
import { byteSize, type DType, isInteger } from "./dtype.ts";
import { axesIn, children, readsIn } from "./expr-visit.ts";
import { interned } from "./interned.ts";
import type { BinaryExpr, ReadExpr, ScalarExpr, UnaryExpr } from "./scalar-expr.ts";

/** Kind of instruction that executes operations: see `LeastWork`. */
export type WorkKind = "multiply" | "other" | "dot";

export interface LeastWork {
  /** Type of the values; of a dot product, of the wider one of its factors. */
  readonly dtype: "f64" | "f32" | "bf16" | "i32" | "i16" | "i8";
  /** Multiplications. */
  readonly multiply: number;
  /** All else: additions, comparisons, divisions, each as one. */
  readonly other: number;
  /** Products that are summed at once in a wider type, where a target has an instruction for it: such an addition is in it. */
  readonly dot: number;
}

/**
 * Work of a call, an entry for each stage and type.
 *
 * @param constants inputs that stay the same from call to call: what depends on them alone is computed before
 */
export function leastWork(op: ComputeDef, constants: readonly string[] = []): readonly LeastWork[] {
  const prepared = new Set(constants);
  // Integers that are made of shorter ones may fit 16 bits.
  const short = new Set(
    op.inputs.filter(({ dtype }) => isInteger(dtype) && byteSize[dtype] < 4).map(({ name }) => name),
  );
  return op.stages.flatMap((stage) => {
    const reads = readsIn(stage.body);
    const isShort = reads.length > 0 && reads.every(({ tensor }) => short.has(tensor));
    if (isShort && isInteger(stage.dtype)) short.add(stage.name);
    const isPrepared = reads.length > 0 && reads.every(({ tensor }) => prepared.has(tensor));
    if (!isPrepared) return isShort ? workOf(stage).map(inWords) : workOf(stage);
    prepared.add(stage.name);
    return [];
  });
}

const inWords = (work: LeastWork): LeastWork => (work.dtype === "i32" ? { ...work, dtype: "i16" } : work);

/** Bytes that a call cannot do without: each element that is read, and each result, once. */
export function leastTraffic({ inputs, stages, outputs }: ComputeDef): {
  readonly read: number;
  readonly written: number;
} {
  const reads = stages.flatMap((stage) => readsIn(stage.body).map((read) => ({ stage, read })));
  const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const bytesOf = ({ name, shape, dtype }: (typeof inputs)[number]): number => {
    const touched = reads.filter(({ read }) => read.tensor === name).map(({ stage, read }) => elementsOf(stage, read));
    const size = product(shape);
    return byteSize[dtype] * Math.min(size, Math.max(0, ...touched));
  };
  const results = stages.filter(({ name }) => outputs.includes(name));
  const writtenBy = ({ axes, dtype }: Stage): number => byteSize[dtype] * product(axes.map(({ extent }) => extent));
  return { read: total(inputs.map(bytesOf)), written: total(results.map(writtenBy)) };
}

/** Elements that a read may touch; of one whose place is in the data perhaps always the same one. */
function elementsOf({ axes, reduce }: Stage, { indices }: ReadExpr): number {
  if (indices.some((index) => readsIn(index).length > 0)) return 1;
  const names = new Set(indices.flatMap(axesIn).map(({ name }) => name));
  const own = [...axes, ...(reduce?.axes ?? [])].filter(({ name }) => names.has(name));
  return product(own.map(({ extent }) => extent));
}

function workOf({ axes, reduce, body }: Stage): readonly LeastWork[] {
  const extents = new Map([...axes, ...(reduce?.axes ?? [])].map(({ name, extent }) => [name, extent]));
  const counts = new Map<LeastWork["dtype"], { multiply: number; other: number; dot: number }>();
  const add = (type: LeastWork["dtype"], kind: WorkKind, count: number): void => {
    const known = counts.get(type) ?? { multiply: 0, other: 0, dot: 0 };
    known[kind] += count;
    counts.set(type, known);
  };
  const all = product([...extents.values()]);
  const root = interned(body);
  const factors = reduce?.reducer === "sum" ? factorType(root) : null;
  for (const node of certainlyComputed(root)) {
    if (!isOperation(node) || readsIn(node).length === 0) continue;
    if (factors && node === root) add(factors, "dot", all);
    else {
      const [multiply, other] = stepsOf(node);
      add(typeOf(node), "multiply", multiply * timesOf(node, extents));
      add(typeOf(node), "other", other * timesOf(node, extents));
    }
  }
  if (reduce && !factors) add(widened(body.dtype), reduce.reducer === "prod" ? "multiply" : "other", all);
  return [...counts].map(([type, count]) => ({ dtype: type, ...count }));
}

type Operation = UnaryExpr | BinaryExpr;

const isOperation = (node: ScalarExpr): node is Operation => node.kind === "unary" || node.kind === "binary";

type Steps = readonly [multiply: number, other: number];

/** Fewest steps of functions that are polynomials in all back ends (`lower/math`); steps on bits are left out. */
const functionSteps: Readonly<Partial<Record<Operation["op"], Steps>>> = {
  exp: [10, 10],
  log: [8, 8],
  tanh: [10, 10],
  erf: [10, 10],
  sigmoid: [10, 10],
  pow: [10, 10],
};

const stepsOf = (node: Operation): Steps =>
  functionSteps[node.op] ?? (node.op === "mul" && !isShift(node) ? [1, 0] : [0, 1]);

/** Says whether a product of integers is a shift. */
const isShift = (node: Operation): boolean =>
  node.kind === "binary" &&
  isInteger(node.dtype) &&
  [node.left, node.right].some((side) => side.kind === "const" && Number.isInteger(Math.log2(side.value)));

/** Operands that are computed as values: indices of a read are not. */
const computedFrom = (node: ScalarExpr): readonly ScalarExpr[] => (node.kind === "read" ? [] : children(node));

/** Counts how often a value is computed: once for each place of the axes that it depends on. */
function timesOf(node: ScalarExpr, extents: ReadonlyMap<string, number>): number {
  const names = new Set(axesIn(node).map(({ name }) => name));
  return [...names].reduce((count, name) => count * (extents.get(name) ?? 1), 1);
}

/** Operations that are computed whichever side of a choice is taken. */
const certainlyComputed = (root: ScalarExpr): readonly ScalarExpr[] =>
  operandsFirst(root, (node) => (node.kind === "select" ? [node.condition] : computedFrom(node)));

/** Type in which an operation is made: that of a comparison is the type of what is compared. */
function typeOf(node: Operation): LeastWork["dtype"] {
  const operand = node.kind === "binary" ? node.left : node.operand;
  return widened(node.dtype === "bool" ? operand.dtype : node.dtype);
}

function widened(dtype: DType): LeastWork["dtype"] {
  if (dtype === "f16" || dtype === "bf16") return "f32";
  return dtype === "u8" || dtype === "bool" ? "i8" : dtype;
}

/** The wider type of two small factors whose product is summed in a wider one; null: no dot product. */
function factorType(root: ScalarExpr): LeastWork["dtype"] | null {
  if (root.kind !== "binary" || root.op !== "mul") return null;
  const reads = readsIn(root).map(({ dtype }) => dtype);
  if (reads.length === 0) return null;
  if (root.dtype === "f32") return reads.every((dtype) => dtype === "bf16") ? "bf16" : null;
  if (root.dtype !== "i32" || !reads.every((dtype) => isInteger(dtype) && byteSize[dtype] < 4)) return null;
  return reads.every((dtype) => byteSize[dtype] === 1) ? "i8" : "i16";
}
