// Facts about a stage for the rules: its axes, how each operand is read along them, and the readers of its result.

import {
  type Assignment,
  type Block,
  blocksIn,
  type ComputeDef,
  type DType,
  type Expr,
  exprKey,
  factsOf,
  fromCompute,
  functionOps,
  type IrType,
  isFloat,
  type Load,
  loopName,
  operandsOf,
  readPattern,
  someExpr,
  toAffine,
  walkExpr,
} from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";
import { stepsInside, stepsOf } from "./index-steps.ts";

/**
 * Reads of a buffer whose indices differ by constants only: the unit of footprints, packs and estimates. X[k, i] and
 * X[k, i + 1] are one access, X[k, i] and X[k, j] are two.
 */
export interface Access {
  /** Unique in the stage: the buffer's name, from its second access on with a number. */
  readonly id: string;
  readonly buffer: string;
  readonly dtype: DType;
  /** The indices without their constants, as `readPattern` gives them. */
  readonly pattern: string;
  /** Different reads. */
  readonly count: number;
  /** Coefficient of every axis in the index of each dimension; null where the index is not affine. */
  readonly dims: readonly (ReadonlyMap<string, number> | null)[];
  /** The same away from the edges, where an index is clamped to the tensor, or wrapped around. */
  readonly inside: readonly (ReadonlyMap<string, number> | null)[];
  /** Axes in the index of each dimension, affine or not. */
  readonly axes: readonly ReadonlySet<string>[];
  /** Elements from one index of each dimension to the next; infinite where the shape is not known. */
  readonly pitches: readonly number[];
  /** Distance between the constants of the reads in each dimension. */
  readonly spans: readonly number[];
  /** Whether some of the reads are in one side of a select: padding. */
  readonly guarded: boolean;
  /** Whether all of them are 0 where the guard does not hold: a pack has the padding in it, and its reader no guard. */
  readonly zeroPadded: boolean;
  /** Whether nothing else in the operator reads the buffer. */
  readonly isSole: boolean;
}

export interface SpatialAxis {
  readonly name: string;
  readonly extent: number;
  /** Only a part of the axis is computed at a time: what overshoots the extent would run, so splits have to be perfect. */
  readonly isPart?: boolean;
  /** The tunable that says how many elements a part has, where that is a decision; `extent` is the most then. */
  readonly size?: string;
  /** The loop over a part, where it has another name than the axis gives it. */
  readonly loop?: string;
  /** Its loop is around everything that a rule does to the stage: it has one element, and no loop to schedule. */
  readonly isOutside?: boolean;
}

export interface SchedulableStage {
  readonly name: string;
  readonly block: Block;
  readonly spatial: readonly SpatialAxis[];
  readonly reduce: readonly { readonly name: string; readonly extent: number }[];
  readonly reads: readonly Access[];
  /** Element type of the result. */
  readonly dtype: DType;
  readonly isOutput: boolean;
  /** Names of the stages that read this one. */
  readonly readers: readonly string[];
  /** Scalar operations of one instance of the body, reads not counted. */
  readonly operations: number;
  /** Whether the body calls exp, log or the like. */
  readonly callsFunctions: boolean;
  /**
   * Inputs that no other stage reads and that are the same for all parts of the stage, or for all calls: they can be packed
   * once, before everything else.
   */
  readonly shared?: readonly string[];
}

const isFunction = (expr: Expr): boolean =>
  (expr.kind === "unary" || expr.kind === "binary") && functionOps.has(expr.op);

/** Facts of all stages, in the order of the operator. */
export function schedulableStages(def: ComputeDef): readonly SchedulableStage[] {
  const blocks = blocksIn(fromCompute(def).body);
  const costs = new Map(factsOf(def).stages.map(({ name, flops, iterations }) => [name, flops / iterations]));
  const reads = accessesOf(blocks, shapesOf(def));
  return blocks.map((block): SchedulableStage => {
    const axes = (role: "spatial" | "reduce") => block.axes.filter((axis) => axis.role === role);
    return {
      name: block.name,
      block,
      spatial: axes("spatial"),
      reduce: axes("reduce"),
      reads: reads.get(block.name)!,
      dtype: storedType(block.value.dtype),
      isOutput: def.outputs.includes(block.name),
      readers: blocks
        .filter((other) => reads.get(other.name)!.some((read) => read.buffer === block.buffer))
        .map((other) => other.name),
      operations: costs.get(block.name)!,
      callsFunctions: someExpr(block.value, isFunction),
    };
  });
}

/** Shapes of inputs and results, by name. */
export const shapesOf = ({ inputs, stages }: ComputeDef): ReadonlyMap<string, readonly number[]> =>
  new Map([
    ...inputs.map(({ name, shape }) => [name, shape] as const),
    ...stages.map(({ name, axes }) => [name, axes.map(({ extent }) => extent)] as const),
  ]);

/** The accesses of each block, by name. */
function accessesOf(
  blocks: readonly Block[],
  shapes: ReturnType<typeof shapesOf>,
): ReadonlyMap<string, readonly Access[]> {
  const reads = blocks.map((block) => [block.name, readsOf(block, shapes)] as const);
  const buffers = reads.flatMap(([, accesses]) => accesses.map(({ buffer }) => buffer));
  const isSole = ({ buffer }: Access): boolean => buffers.indexOf(buffer) === buffers.lastIndexOf(buffer);
  return new Map(reads.map(([name, all]) => [name, all.map((access) => ({ ...access, isSole: isSole(access) }))]));
}

/** Returns the block's reads of other buffers, in the order in which they are written. */
export function readsOf(block: Block, shapes: ReturnType<typeof shapesOf> = new Map()): readonly Access[] {
  const guarded = new Set<Expr>();
  const zeroPadded = new Set<Expr>();
  walkExpr(block.value, (node) => {
    if (node.kind !== "select") return;
    addNodes(node.then, guarded);
    addNodes(node.else, guarded);
    if (node.else.kind === "const" && node.else.value === 0) zeroPadded.add(withoutCasts(node.then));
  });
  const groups = new Map<string, Load[]>();
  walkExpr(block.value, (node) => {
    if (node.kind !== "load" || node.buffer === block.buffer) return;
    const key = `${node.buffer}[${readPattern(node.indices)}]`;
    groups.set(key, [...(groups.get(key) ?? []), node]);
  });
  const seen = new Map<string, number>();
  return [...groups.values()].map((loads): Access => {
    const [{ buffer, dtype, indices }] = loads as [Load, ...Load[]];
    const number = (seen.get(buffer) ?? 0) + 1;
    seen.set(buffer, number);
    return {
      id: number === 1 ? buffer : `${buffer}.${number}`,
      buffer,
      dtype: storedType(dtype),
      pattern: readPattern(indices),
      count: new Set(loads.map(exprKey)).size,
      dims: indices.map(stepsOf),
      inside: indices.map((index) => stepsInside(index, block)),
      axes: indices.map(variablesIn),
      pitches: indices.map((_, dim) => pitchOf(indices.length, shapes.get(buffer), dim)),
      spans: indices.map((_, dim) => spanOf(loads.map((load) => toAffine(load.indices[dim]!).constant))),
      guarded: loads.some((load) => guarded.has(load)),
      zeroPadded: loads.every((load) => zeroPadded.has(load)),
      isSole: true,
    };
  });
}

const pitchOf = (rank: number, shape: readonly number[] | undefined, dim: number): number =>
  dim === rank - 1
    ? 1
    : (shape?.slice(dim + 1).reduce((product, extent) => product * extent, 1) ?? Number.POSITIVE_INFINITY);

const spanOf = (constants: readonly number[]): number => Math.max(...constants) - Math.min(...constants);
/** Adds the expression and everything in it; what is there already is there with all of its operands. */
function addNodes(expr: Expr, nodes: Set<Expr>): void {
  const open = [expr];
  for (let node = open.pop(); node; node = open.pop()) {
    if (nodes.has(node)) continue;
    nodes.add(node);
    open.push(...operandsOf(node));
  }
}

const withoutCasts = (expr: Expr): Expr => (expr.kind === "cast" ? withoutCasts(expr.operand) : expr);

/**
 * Says whether the elements of a reduction must be combined in the order of the reference: sums of floats with strict
 * numerics, and products of floats always. A part of a product can overflow, or vanish, where the product from the
 * first factor on does not.
 */
export const keepsOrder = ({ block, reduce, dtype }: SchedulableStage, numerics: TuningTask["numerics"]): boolean =>
  reduce.length > 0 && isFloat(dtype) && (numerics === "strict" || isProduct(block));

const isProduct = ({ value, buffer }: Block): boolean =>
  value.kind === "binary" && value.op === "mul" && value.left.kind === "load" && value.left.buffer === buffer;

/** No buffer holds i64; the type exists for bit patterns only. */
const storedType = (dtype: IrType): DType => (dtype === "i64" ? "f64" : dtype);

function variablesIn(index: Expr): ReadonlySet<string> {
  const names = new Set<string>();
  walkExpr(index, (node) => {
    if (node.kind === "var") names.add(node.name);
  });
  return names;
}

/** The loop over an axis of the stage. */
export const loopOf = ({ name }: SchedulableStage, axis: SpatialAxis): string => axis.loop ?? loopName(name, axis.name);

/** The stage with the extents that its parts have under an assignment. */
export const sizedBy = (stage: SchedulableStage, assignment: Assignment): SchedulableStage => ({
  ...stage,
  spatial: stage.spatial.map((axis) => (axis.size ? { ...axis, extent: assignment[axis.size]! } : axis)),
});

/** Each dimension is one axis, or a constant. */
export const isPlain = ({ dims }: Access): boolean =>
  dims.every((dim) => dim !== null && dim.size <= 1 && [...dim.values()].every((coefficient) => coefficient === 1));

/**
 * Says whether one axis walks the dimension, one element a step, and walks no other dimension. Then a part of the axis
 * is a part of the dimension.
 */
export function isWalkedByOne({ dims }: Access, at: number): boolean {
  const [step, ...others] = dims[at] ?? [];
  if (!step || others.length > 0 || step[1] !== 1) return false;
  return dims.every((dim, other) => other === at || !dim?.has(step[0]));
}

/** Says whether the stage's reads walk all elements of a dimension with this extent, without gaps. */
export function coversDimension({ dims, spans }: Access, at: number, extent: number, stage: SchedulableStage): boolean {
  const extents = new Map([...stage.spatial, ...stage.reduce].map((axis) => [axis.name, axis.extent]));
  const steps = [...(dims[at] ?? [])].map(([axis, step]) => ({ size: Math.abs(step), count: extents.get(axis)! }));
  let reached = spans[at]!;
  // An axis whose steps are longer than what those before it reach leaves gaps.
  for (const { size, count } of steps.sort((a, b) => a.size - b.size)) {
    if (size > reached + 1) return false;
    reached += size * (count - 1);
  }
  return dims[at] !== null && reached + 1 === extent;
}

/** Says whether the stage is element-wise: it has axes, and none of them is summed over. */
export const isMap = ({ reduce, spatial }: SchedulableStage): boolean => reduce.length === 0 && spatial.length > 0;

export const dependsOn = ({ axes }: Access, axis: string): boolean => axes.some((names) => names.has(axis));

/** Says whether a window slides over the operand: several axes are part of one index. */
export const isWindowed = ({ dims }: Access): boolean => dims.some((dim) => dim !== null && dim.size > 1);

/** Says whether several elements of the result read the same element of the operand. Only then do tiling and packing pay. */
export const isReused = (stage: SchedulableStage, access: Access): boolean =>
  stage.spatial.some((axis) => axis.extent > 1 && !dependsOn(access, axis.name));
