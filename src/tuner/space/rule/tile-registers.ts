// A product of matrices that an intrinsic on tiles computes: beside what the rules for vectors make, register tiles of
// tiles. Both operands are packed tile by tile and padded with zeros; the reduction is in one piece, as sums enter tiles as
// zeros only, and they leave them through memory, where vectors cut off what is padding. A map that reads each sum at its
// own place takes them from there.
//
//   i → i.0, i.1 of a block, i.2 tiles in registers, i.3 rows      k → k.0 (one), k.1, k.2 unrolled, k.3 groups, k.4 of one
//   j likewise; innermost: i.2 j.2 in registers, and the intrinsic in place of i.3 j.3 k.3 k.4

import {
  byteSize,
  type Instruction,
  type Intrinsic,
  intrinsicsFor,
  type LayoutDim,
  loopName,
  type Operand,
} from "../../../compiler/index.ts";
import type { TuningTask } from "../../task.ts";
import { atMost, type Draft, decide, type Estimate, estimate, fuse, instruct, instructWhen } from "../draft.ts";
import { type Access, dependsOn, isPlain, type SchedulableStage } from "../schedulable-stage.ts";
import { tilingEstimate } from "../tiling/estimate.ts";
import { limitCaches, limitRegisters } from "../tiling/limits.ts";
import { addOrderChoice, inEachOrder, type LoopOrder, loopOrders, orderChoice } from "../tiling/order.ts";
import type { PackChoice } from "../tiling/packing.ts";
import { endsWith, padName } from "../tiling/padded-reduction.ts";
import {
  blockTilesOf,
  registerElementsOf,
  registerOf,
  stepsOf,
  surplusOf,
  type TiledAxis,
  tileAxis,
  unrollOf,
} from "../tiling/tiled-axis.ts";
import { sumsOf } from "./fuse-epilogue.ts";
import type { RuleContext, SpaceRule } from "./space-rule.ts";
import { vectorizeMap } from "./vectorize-map.ts";

/** Rows of a tile, and columns of one of sums. */
const side = 16;
const registers = 8;

export const tileRegisters: SpaceRule = {
  name: "tile-registers",

  applies: (stage, context) => tiled(stage, context) !== null,

  apply(draft, stage, context) {
    const { product, reader } = tiled(stage, context)!;
    const fused = reader ? fuse(draft, product.stage.name) : draft;
    return [...context.otherwise(draft, stage.name), onTiles(fused, product, reader, context.task)];
  },
};

interface Tiled {
  readonly product: MatrixProduct;
  /** The map that takes the sums; null: they are the stage itself. */
  readonly reader: SchedulableStage | null;
}

/** The product that a stage is, or that it finishes. */
function tiled(stage: SchedulableStage, context: RuleContext): Tiled | null {
  const own = matrixProduct(stage, context);
  if (own) return { product: own, reader: null };
  const sums = vectorizeMap.applies(stage, context) ? sumsOf(stage, context) : null;
  const product = sums && matrixProduct(sums, context);
  return product && { product, reader: stage };
}

interface MatrixProduct {
  readonly stage: SchedulableStage;
  readonly intrinsic: Intrinsic;
  /** The rows' operand and the columns', as they are read once they are padded. */
  readonly left: Access;
  readonly right: Access;
  readonly axes: readonly TiledAxis[];
  /** Elements of the reduce axis that four bytes hold, and that a tile takes. */
  readonly group: number;
  readonly depth: number;
}

function matrixProduct(stage: SchedulableStage, context: RuleContext): MatrixProduct | null {
  const [row, column] = stage.spatial.slice(-2);
  const [reduce] = stage.reduce;
  if (!row || !column || !reduce || stage.reduce.length > 1 || stage.spatial.some(({ isPart }) => isPart)) return null;
  const operands = matrices(stage, row.name, column.name, (read) => endsWith(read, reduce, context));
  const intrinsic = operands && intrinsicOn(operands, stage, context.task);
  if (!operands || !intrinsic) return null;
  const group = 4 / byteSize[operands.left.dtype];
  const depth = side * group;
  const extent = Math.ceil(reduce.extent / depth) * depth;
  const padded = (read: Access): Access =>
    extent === reduce.extent ? read : { ...read, buffer: padName(read.buffer) };
  const axes = stage.spatial.map((axis): TiledAxis => {
    const role = axis === column ? "vector" : axis === row ? "spatial" : "outer";
    return { axis, role, loop: loopName(stage.name, axis.name), lanes: role === "outer" ? 1 : side, isTiled: true };
  });
  const loop = loopName(stage.name, reduce.name);
  const last: TiledAxis = { axis: { ...reduce, extent }, role: "reduce", loop, lanes: depth, isTiled: false };
  const [left, right] = [padded(operands.left), padded(operands.right)];
  return { stage, intrinsic, left, right, axes: [...axes, last], group, depth };
}

type Matrices = Pick<MatrixProduct, "left" | "right">;

/** The operand that rows of the result depend on, and the one that columns do. */
function matrices(
  { reads }: SchedulableStage,
  row: string,
  column: string,
  isWhole: (read: Access) => boolean,
): Matrices | null {
  const left = reads.find((read) => dependsOn(read, row) && !dependsOn(read, column));
  const right = reads.find((read) => dependsOn(read, column) && !dependsOn(read, row));
  if (!left || !right || reads.length > 2 || left.buffer === right.buffer) return null;
  return reads.every((read) => isPlain(read) && !read.guarded && isWhole(read)) ? { left, right } : null;
}

function intrinsicOn({ left, right }: Matrices, { block }: SchedulableStage, task: TuningTask): Intrinsic | null {
  const found = intrinsicsFor(block, task.target, task.numerics).find(({ intrinsic: { text, meaning } }) => {
    const [, a, b] = meaning.buffers;
    return text.kind === "tile" && a?.dtype === left.dtype && b?.dtype === right.dtype;
  });
  return found?.intrinsic ?? null;
}

// ── the template ────────────────────────────────────────────────────────────────────────────────────────────────────

function onTiles(draft: Draft, product: MatrixProduct, reader: SchedulableStage | null, task: TuningTask): Draft {
  const { stage, axes, intrinsic, left, right } = product;
  const target = { ...task.target, vectorRegisters: registers };
  const padded: SchedulableStage = { ...stage, reads: [left, right] };
  const whole = axes.flatMap((it) => (it.role === "reduce" ? [it.axis.extent] : []));
  const named = decide(draft, `${reader ? `${reader.name} with ` : ""}${stage.name} on tiles for ${intrinsic.name}`);
  const tiled = axes.reduce((result, it) => tileAxis(result, it, registers, whole), named);
  const order = orderChoice(stage, loopOrders(axes));
  const ordered = addOrderChoice(limitRegisters(tiled, padded, axes, target), order);
  const limited = limitCaches(ordered, padded, axes, order, target);
  const packs = [left, right].map((access) => packOf(access, product));
  const laidOut = packs.filter(({ isOnce }) => isOnce).reduce(withinLayout, limited);
  const facts = tilingEstimate(padded, axes, order, packs, target);
  const chosen = estimate(laidOut, withSurplus(facts, product));
  const split = instruct(chosen, ...padding(product), ...axes.flatMap((it) => splitOf(it, product)));
  const placed = inEachOrder(split, order, (result, it, when) =>
    instructWhen(result, when, { kind: "reorder", loops: reordered(it, product) }, ...packing(it, product)),
  );
  const inner = instruct(placed, ...inlined(product), ...unrolled(product));
  const summed = inEachOrder(inner, order, (result, { tileLoop }, when) =>
    instructWhen(result, when, { kind: "cache-write", block: stage.name, loop: tileLoop, scope: "register" }),
  );
  const finished = reader ? instruct(summed, { kind: "reverse-inline", block: reader.name }) : summed;
  return instruct(finished, ...sumsInTiles(product));
}

/** Whole register tiles are computed, and whole tiles of the reduce axis. */
const withSurplus =
  (facts: Estimate, { stage, axes }: MatrixProduct): Estimate =>
  (assignment) => {
    const asked = [...stage.spatial, ...stage.reduce];
    const waste = axes.reduce((product, it, at) => {
      if (it.role === "outer") return product;
      const granule = it.role === "reduce" ? it.lanes : assignment[registerElementsOf(it)]!;
      return (product * Math.ceil(asked[at]!.extent / granule) * granule) / asked[at]!.extent;
    }, 1);
    return { ...facts(assignment), waste };
  };

const isPadded = ({ left }: MatrixProduct): boolean => left.buffer.endsWith(".pad");

const padding = (product: MatrixProduct): readonly Instruction<Operand>[] => {
  const { block } = product.stage;
  const multiples = block.axes.map(({ role }) => (role === "reduce" ? product.depth : 1));
  return isPadded(product) ? [{ kind: "pad", block: block.name, multiples }] : [];
};

/** The padding is part of the packs. */
const inlined = (product: MatrixProduct): readonly Instruction<Operand>[] =>
  [product.left, product.right]
    .filter((access) => isPadded(product) && !isConstant(access, product))
    .map(({ buffer }) => ({ kind: "inline", block: buffer }));

function splitOf(it: TiledAxis, { group }: MatrixProduct): readonly Instruction<Operand>[] {
  const tunables = (...names: string[]): Operand[] => names.map((tunable) => ({ tunable }));
  if (it.role === "outer") return [];
  const [factors, tail] =
    it.role === "reduce"
      ? ([[0, ...tunables(stepsOf(it), unrollOf(it)), side, group], "perfect"] as const)
      : ([[0, ...tunables(blockTilesOf(it), registerOf(it)), side], "mask"] as const);
  return [{ kind: "split", loop: it.loop, factors, tail }];
}

const loopsOf = ({ stage, axes }: MatrixProduct) => {
  const [row, column] = ["spatial", "vector"].map((role) => axes.find((it) => it.role === role)!.loop) as [
    string,
    string,
  ];
  return { row, column, reduce: loopName(stage.name, stage.reduce[0]!.name) };
};

function reordered({ loops }: LoopOrder, product: MatrixProduct): readonly string[] {
  const { row, column, reduce } = loopsOf(product);
  const outer = [0, 1].flatMap((level) => [row, column].map((loop) => `${loop}.${level}`));
  const isOuter = (loop: string): boolean =>
    outer.includes(loop) ||
    loop === `${reduce}.0` ||
    product.axes.some((it) => it.role === "outer" && it.loop === loop);
  const registers = [`${reduce}.1`, `${reduce}.2`, `${row}.2`, `${column}.2`];
  return [...loops.filter(isOuter), ...registers, `${row}.3`, `${column}.3`, `${reduce}.3`, `${reduce}.4`];
}

// ── packs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Tiles one after another along the reduce axis: 16 rows of the left operand, 16 columns of groups of the right one. */
function layoutOf(access: Access, product: MatrixProduct): readonly LayoutDim<Operand>[] {
  const { stage, left, group, depth } = product;
  const [row, column] = stage.spatial.slice(-2);
  const own = access === left ? row! : column!;
  const along = (name: string): number => access.dims.findIndex((it) => it?.has(name));
  const [across, deep] = [along(own.name), along(stage.reduce[0]!.name)];
  const tiles = [
    { dim: across, tile: side },
    { dim: deep, tile: access === left ? depth : group },
  ];
  const others = [...access.dims.keys()].filter((dim) => dim !== across && dim !== deep);
  return [
    ...others.map((dim) => ({ dim, part: "whole", tile: 1 }) as const),
    ...tiles.map((it) => ({ ...it, part: "outer" }) as const),
    ...tiles.map((it) => ({ ...it, part: "inner" }) as const),
  ];
}

function packOf(access: Access, product: MatrixProduct): PackChoice {
  const role = access === product.left ? "spatial" : "vector";
  const panelAxis = product.axes.find((it) => it.role === role)!;
  return {
    packable: { access, panelAxis, layout: layoutOf(access, product), isGrouped: true },
    tunable: null,
    isOnce: isConstant(access, product),
  };
}

/** What a loop packs has as many tiles as it walks; what is laid out before has those that there are. */
const withinLayout = (draft: Draft, { packable: { panelAxis } }: PackChoice): Draft =>
  atMost(draft, surplusOf(panelAxis!), side - 1, `register tiles of ${panelAxis!.axis.name} hold tiles of a constant`);

const isConstant = ({ buffer }: Access, { stage }: MatrixProduct): boolean =>
  stage.shared?.some((name) => buffer === name || buffer === padName(name)) === true;

function packing({ packOthersAt, packVectorAt }: LoopOrder, product: MatrixProduct): readonly Instruction<Operand>[] {
  return [...packAt(product.right, packVectorAt, product), ...packAt(product.left, packOthersAt, product)];
}

/** A constant operand lies in tiles before everything else, its padding too. */
function packAt(access: Access, loop: string, product: MatrixProduct): readonly Instruction<Operand>[] {
  const { buffer } = access;
  const layout = layoutOf(access, product);
  if (!isConstant(access, product))
    return [{ kind: "cache-read", buffer, loop, layout }, rowsOf(access, "pack", product)];
  const laid: Instruction<Operand> = { kind: "transform-layout", buffer, layout };
  return isPadded(product) ? [laid] : [laid, rowsOf(access, "layout", product)];
}

/** Rows of the left operand's tiles are contiguous where they come from if the reduce axis is its last. */
function rowsOf(access: Access, copy: string, { stage, left }: MatrixProduct): Instruction<Operand> {
  const isContiguous = access === left && left.dims.at(-1)?.has(stage.reduce[0]!.name);
  return { kind: isContiguous ? "vectorize" : "unroll", loop: `${access.buffer}.${copy}.${access.dims.length + 1}` };
}

// ── registers ───────────────────────────────────────────────────────────────────────────────────────────────────────

function unrolled(product: MatrixProduct): readonly Instruction<Operand>[] {
  const { row, column, reduce } = loopsOf(product);
  return [`${reduce}.2`, `${row}.2`, `${column}.2`].map((loop) => ({ kind: "unroll", loop }));
}

/** The accumulators tile by tile, and on their way out a copy of them in memory. */
function sumsInTiles(product: MatrixProduct): readonly Instruction<Operand>[] {
  const { stage, intrinsic } = product;
  const { row, column } = loopsOf(product);
  const others = stage.spatial.length - 2;
  const dims = [others, others + 1].map((dim) => ({ dim, tile: side }));
  const layout: readonly LayoutDim<Operand>[] = [
    ...Array.from({ length: others }, (_, dim) => ({ dim, part: "whole", tile: 1 }) as const),
    ...dims.map((it) => ({ ...it, part: "outer" }) as const),
    ...dims.map((it) => ({ ...it, part: "inner" }) as const),
  ];
  const sums = `${stage.name}.acc`;
  const copied = layout.map((_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  return [
    { kind: "transform-layout", buffer: sums, layout },
    { kind: "cache-read", buffer: sums, loop: `${row}.2.store`, layout: copied },
    { kind: "unroll", loop: `${sums}.pack.${others + 1}` },
    { kind: "vectorize", loop: `${column}.3.store` },
    { kind: "tensorize", loop: `${row}.3`, intrinsic: intrinsic.name },
    { kind: "tensorize", loop: `${row}.3.init`, intrinsic: `tilezero.${stage.dtype}` },
    { kind: "tensorize", loop: `${sums}.pack.${others + 2}`, intrinsic: `tilestored.${stage.dtype}` },
  ];
}
