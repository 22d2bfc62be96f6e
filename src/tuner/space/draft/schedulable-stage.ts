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
  isEdgeIndex,
  isFloat,
  type Load,
  loopName,
  operandsOf,
  readPattern,
  someExpr,
  toAffine,
  walkExpr,
  withoutEdges,
} from "../../../compiler/index.ts";
import type { TuningTask } from "../../data/task.ts";

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
  const reads = accessesOf(blocks);
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

/** The accesses of each block, by name. */
function accessesOf(blocks: readonly Block[]): ReadonlyMap<string, readonly Access[]> {
  const reads = blocks.map((block) => [block.name, readsOf(block)] as const);
  const buffers = reads.flatMap(([, accesses]) => accesses.map(({ buffer }) => buffer));
  const isSole = ({ buffer }: Access): boolean => buffers.indexOf(buffer) === buffers.lastIndexOf(buffer);
  return new Map(reads.map(([name, all]) => [name, all.map((access) => ({ ...access, isSole: isSole(access) }))]));
}

/** Returns the block's reads of other buffers, in the order in which they are written. */
export function readsOf(block: Block): readonly Access[] {
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
      dims: indices.map(coefficients),
      inside: indices.map((index) => coefficients(inside(index, block))),
      axes: indices.map(variablesIn),
      spans: indices.map((_, dim) => spanOf(loads.map((load) => toAffine(load.indices[dim]!).constant))),
      guarded: loads.some((load) => guarded.has(load)),
      zeroPadded: loads.every((load) => zeroPadded.has(load)),
      isSole: true,
    };
  });
}

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

function coefficients(index: Expr): ReadonlyMap<string, number> | null {
  const { terms } = toAffine(index);
  const entries = terms.map(({ atom, coefficient }): [string, number] | null =>
    atom.kind === "var" ? [atom.name, coefficient] : null,
  );
  return entries.some((entry) => entry === null) ? null : new Map(entries as [string, number][]);
}

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

/** The index without its edges, where at least half of its values are away from them. */
function inside(index: Expr, { axes }: Block): Expr {
  if (!isEdgeIndex(index)) return index;
  const plain = withoutEdges(index);
  const steps = coefficients(plain);
  if (!steps) return index;
  const { constant } = toAffine(plain);
  const ends = axes.map(({ name, extent }) => (steps.get(name) ?? 0) * (extent - 1));
  const least = ends.reduce((sum, end) => sum + Math.min(0, end), constant);
  const most = ends.reduce((sum, end) => sum + Math.max(0, end), constant);
  return 2 * valuesAway(index, least, most) > most - least ? plain : index;
}

/** Counts the values from `least` to `most` that an index leaves as they are, or takes to one turn. */
function valuesAway(index: Expr, least: number, most: number): number {
  if (!isEdgeIndex(index)) return most - least + 1;
  const { op, left, right } = index;
  if (op === "mod") return Math.min(right.value, valuesAway(left, least, most));
  return op === "min"
    ? valuesAway(left, least, Math.min(most, right.value))
    : valuesAway(left, Math.max(least, right.value), most);
}

/** The same away from the edges. */
export const isVectorizableInside = (access: Access, axis: string): boolean =>
  isVectorizable({ ...access, dims: access.inside }, axis);

/** Says whether an access does not move, or moves by one element, when the axis does. */
export function isVectorizable({ dims, axes }: Access, axis: string): boolean {
  return dims.every((dim, at) => {
    if (!axes[at]!.has(axis)) return true;
    const coefficient = dim?.get(axis) ?? null;
    return coefficient === 0 || (coefficient === 1 && at === dims.length - 1);
  });
}

/**
 * Says whether a pack may have this axis innermost, in any layout of the operand (the second factor of A · Bᵀ, the image of a convolution
 * whose channels are innermost, that of one with a stride): each element is used several times, which pays for the pack.
 */
export const isTransposable = (stage: SchedulableStage, access: Access, axis: string): boolean =>
  walkOf(access, axis) !== null && isReused(stage, access);

/**
 * Says whether vectors may go along the last axis of a sum's results: each operand lies along it, or nearly so, or may be packed so that it
 * does.
 */
export function isTileable(stage: SchedulableStage): boolean {
  const vector = stage.spatial.at(-1);
  if (!vector || vector.size || vector.extent === 1 || stage.reduce.length === 0) return false;
  const canBe = (read: Access): boolean =>
    isVectorizableInside(read, vector.name) || isStrided(read, vector.name) || isTransposable(stage, read, vector.name);
  return stage.reads.every(canBe);
}

/** Longest step between the lanes of a vector that is loaded lane by lane: a few of them are in one line of the cache. */
const longestStride = 4;

/** Says whether the elements along an axis are few elements apart, as those of a pool with a stride. */
export function isStrided(access: Access, axis: string): boolean {
  const walk = walkOf(access, axis);
  return walk !== null && walk.dim === access.dims.length - 1 && walk.step > 1 && walk.step <= longestStride;
}

/** Returns the axis that is summed over in vectors: the last one, or else the longest along which all operands lie. Null: there is none. */
export function alongReduction({ reduce, reads }: SchedulableStage): SchedulableStage["reduce"][number] | null {
  const isAlong = ({ name, extent }: SchedulableStage["reduce"][number]): boolean =>
    extent > 1 && reads.every((read) => isVectorizable(read, name));
  const last = reduce.at(-1);
  if (last && isAlong(last)) return last;
  const [longest] = reduce.filter(isAlong).toSorted((a, b) => b.extent - a.extent);
  return longest ?? null;
}

/** A dimension that an axis walks, and how many elements it goes with each step. */
export interface Walk {
  readonly dim: number;
  readonly step: number;
}

/** The one dimension that an axis walks upwards, alone or with others. Null: there is none, there are more, or an index is not affine. */
export function walkOf({ dims }: Access, axis: string): Walk | null {
  if (dims.includes(null)) return null;
  const walks = dims.flatMap((steps, dim) => {
    const step = steps!.get(axis) ?? 0;
    return step === 0 ? [] : [{ dim, step }];
  });
  return walks.length === 1 && walks[0]!.step > 0 ? walks[0]! : null;
}

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
