// Operands of a tiled stage that can be packed, and the layout of the pack: register-tile panels in the order in which
// the innermost loops walk them.

import {
  type Assignment,
  byteSize,
  type Condition,
  type CopiedReads,
  type CpuTarget,
  type Instruction,
  type LayoutDim,
  type Operand,
} from "../../../compiler/index.ts";
import { coreOf } from "../../prior/machine-model.ts";
import { choice, type Draft, instructWhen, is } from "../draft/draft.ts";
import {
  type Access,
  isReused,
  isWalkedByOne,
  isWindowed,
  type SchedulableStage,
  type SpatialAxis,
} from "../draft/schedulable-stage.ts";
import { isVectorizable, walkOf } from "../draft/vector-axis.ts";
import { setsBetween, waysOf } from "../estimate/plane-conflicts.ts";
import type { LoopOrder } from "./order.ts";
import { isInRows, registerOf, type TiledAxis } from "./tiled-axis.ts";

export interface PackableOperand {
  readonly access: Access;
  /** The spatial axis that the operand's panels are cut along; null: the copy keeps the operand's layout. */
  readonly panelAxis: TiledAxis | null;
  readonly layout: readonly LayoutDim<Operand>[];
  /** Whether neighbours along the reduce axis lie together in a panel, as an intrinsic wants them. */
  readonly isGrouped: boolean;
}

/** Operands that move along some axis, and are read at affine indices. Operands that are walked by plain axes get panels. */
function packables(stage: SchedulableStage, axes: readonly TiledAxis[]): readonly PackableOperand[] {
  return stage.reads.flatMap((access) => {
    const isStill = access.axes.every((names) => names.size === 0);
    if (isStill || access.dims.some((dim) => dim === null)) return [];
    const panel = panelAxis(access, axes);
    const group = groupOf(access, axes);
    const window = panel || !group ? null : windowLayout(access, axes, group);
    const layout = panel ? panelLayout(access, panel, group) : (window ?? turnedLayout(access, stage.spatial.at(-1)!));
    const isGrouped = (panel !== null && group !== null) || window !== null;
    return [{ access, panelAxis: panel?.axis ?? null, layout, isGrouped }];
  });
}

export const isVectorPanel = ({ panelAxis }: PackableOperand): boolean => panelAxis?.role === "vector";

/** An operand that may be packed: always where `tunable` is null, else where that is 1. */
export interface PackChoice {
  readonly packable: PackableOperand;
  readonly tunable: string | null;
  /** Packed as a whole before everything else, because parts of the stage would do it again and again. */
  readonly isOnce: boolean;
  /** The reads that the copy is for, where others read the same buffer. */
  readonly reads: CopiedReads | null;
}

/** The buffer that holds the pack. */
export const packName = ({ packable: { access }, isOnce, reads }: PackChoice): string =>
  reads?.copy ?? `${access.buffer}.${isOnce ? "layout" : "pack"}`;

/** A buffer that is read at two places, or by two stages, has a pack for each. */
export const copiedReads = ({ name, block }: SchedulableStage, { id, pattern, isSole }: Access): CopiedReads | null =>
  isSole ? null : { block: block.name, pattern, copy: `${id}.pack.${name}` };

/** The instruction that makes the copy, where the loops are. */
export function copyAt(
  { packable: { access, layout }, isOnce, reads }: PackChoice,
  loop: string,
): Instruction<Operand> {
  const { buffer } = access;
  if (isOnce) return { kind: "transform-layout", buffer, layout };
  return { kind: "cache-read", buffer, loop, layout, ...(reads && { reads }) };
}

/**
 * Returns the operands of which each element is used several times, by several results or, if padded, by overlapping
 * windows. A padded one that several results share is always packed: its copy has the padding in it, and the innermost
 * loops no guard. Where only windows share, a copy may cost more than guards at the borders. An operand that is not
 * contiguous along the vector axis is always packed too, as its panels are contiguous.
 */
export const packChoices = (stage: SchedulableStage, axes: readonly TiledAxis[]): readonly PackChoice[] =>
  packables(stage, axes)
    .filter(({ access }) => isReused(stage, access) || (access.zeroPadded && isWindowed(access)))
    .map((packable) => {
      const { access } = packable;
      const { id, buffer, guarded, isSole } = access;
      const isScattered = !isVectorizable(access, stage.spatial.at(-1)!.name);
      const isAlways = isScattered || (guarded && isReused(stage, access));
      const isOnce = isSole && packable.panelAxis !== null && !guarded && stage.shared?.includes(buffer) === true;
      const tunable = isAlways ? null : `${stage.name}.pack.${id}`;
      return { packable, tunable, isOnce, reads: copiedReads(stage, access) };
    });

export const addPackChoices = (draft: Draft, packs: readonly PackChoice[]): Draft =>
  packs.reduce((result, { tunable }) => (tunable ? choice(result, tunable, 2) : result), draft);

/** The operands that an assignment packs. */
export const packedBy = (packs: readonly PackChoice[], assignment: Assignment): readonly PackChoice[] =>
  packs.filter(({ tunable }) => tunable === null || assignment[tunable] === 1);

export interface PackPlace {
  readonly order: LoopOrder;
  readonly when: readonly Condition[];
  /** Lanes of the vectors that copy. */
  readonly lanes: number;
  readonly target: CpuTarget;
}

/** Adds the packs of one loop order, each under its tunable. */
export const packIn = (draft: Draft, packs: readonly PackChoice[], { order, when, ...place }: PackPlace): Draft =>
  packs.reduce((result, pack) => {
    const { packable, tunable } = pack;
    const conditions = tunable ? [...when, is(tunable, 1)] : when;
    const loop = isVectorPanel(packable) ? order.packVectorAt : order.packOthersAt;
    return instructWhen(result, conditions, ...packAt(pack, loop, place));
  }, draft);

const wholeDim = (dim: number): LayoutDim<Operand> => ({ dim, part: "whole", tile: 1 });

/**
 * The axis that panels are cut along, the one that an intrinsic has rows of if there are several: it alone, and element by element, walks
 * its dimension, as does the reduce axis that an intrinsic takes groups of. The other dimensions may be walked by several axes or in steps
 * (the taps of a transposed convolution).
 */
function panelAxis(access: Access, axes: readonly TiledAxis[]): { axis: TiledAxis; dim: number } | null {
  const spatial = axes.flatMap((axis) => {
    if (axis.role !== "vector" && axis.role !== "spatial") return [];
    const dim = access.dims.findIndex((it) => it?.has(axis.axis.name));
    return dim < 0 ? [] : [{ axis, dim }];
  });
  const tiles = spatial.filter(({ axis }) => axis.axis.extent > 1);
  const ofLanes = tiles.find(({ axis }) => axis.role === "vector") ?? tiles.find(({ axis }) => isInRows(axis));
  const panel = ofLanes ?? (tiles.length === 1 ? tiles[0]! : null);
  const group = groupOf(access, axes);
  const cut = [...(panel ? [panel.dim] : []), ...(group ? [group.dim] : [])];
  return cut.every((dim) => isWalkedByOne(access, dim)) ? panel : null;
}

/** The dimension along the reduce axis of which an intrinsic takes several values, and how many. */
function groupOf(access: Access, axes: readonly TiledAxis[]): { dim: number; tile: number } | null {
  const reduce = axes.find((it) => it.role === "reduce" && it.lanes > 1);
  const dim = reduce ? access.dims.findIndex((it) => it?.has(reduce.axis.name)) : -1;
  return reduce && dim >= 0 ? { dim, tile: reduce.lanes } : null;
}

/** [panel dimension / tile] [the other dimensions, whole] [panel dimension % tile]; groups, if any, are innermost. */
function panelLayout(
  access: Access,
  { axis, dim }: { axis: TiledAxis; dim: number },
  group: { dim: number; tile: number } | null,
): LayoutDim<Operand>[] {
  const tile = { tunable: registerOf(axis), times: axis.lanes };
  const others = [...access.dims.keys()].filter((other) => other !== dim);
  return [
    { dim, part: "outer", tile },
    ...others.map(
      (other): LayoutDim<Operand> => (other === group?.dim ? { ...group, part: "outer" } : wholeDim(other)),
    ),
    { dim, part: "inner", tile },
    ...(group ? [{ ...group, part: "inner" } as const] : []),
  ];
}

/**
 * The dimension that the vector axis walks is innermost. Where each step goes several elements, those that are so far apart lie side by
 * side: [the other dimensions, whole] [elements between two steps] [steps].
 */
function turnedLayout(access: Access, vector: SpatialAxis): LayoutDim<Operand>[] {
  const walk = walkOf(access, vector.name);
  const others = [...access.dims.keys()].filter((dim) => dim !== walk?.dim).map(wholeDim);
  if (!walk) return others;
  const { dim, step } = walk;
  if (step === 1) return [...others, wholeDim(dim)];
  return [...others, { dim, part: "inner", tile: step }, { dim, part: "outer", tile: step }];
}

/**
 * Where an intrinsic has rows or lanes along an axis that slides over a dimension one element a step, but is no panel, as in a convolution:
 * groups of neighbours along that dimension, [the other dimensions, whole] [that dimension, whole] [group]. Null: there is no such axis.
 */
function windowLayout(
  access: Access,
  axes: readonly TiledAxis[],
  group: { dim: number; tile: number },
): LayoutDim<Operand>[] | null {
  const sliding = axes.find(isInRows) ?? axes.find(({ role }) => role === "vector")!;
  const moving = [...access.dims.keys()].filter((at) => access.dims[at]?.has(sliding.axis.name));
  const [dim] = moving;
  const slides = dim !== undefined && dim !== group.dim && access.dims[dim]!.get(sliding.axis.name) === 1;
  if (!slides || moving.length > 1 || !isWalkedByOne(access, group.dim)) return null;
  const others = [...access.dims.keys()].filter((other) => other !== dim && other !== group.dim);
  return [...others.map(wholeDim), { ...group, part: "outer" }, wholeDim(dim), { ...group, part: "inner" }];
}

/** The instructions that pack an operand at a loop: in vectors where the copy is contiguous, else element by element. */
function packAt(
  choice: PackChoice,
  loop: string,
  { lanes, target }: Pick<PackPlace, "lanes" | "target">,
): readonly Instruction<Operand>[] {
  const { access, layout, panelAxis, isGrouped } = choice.packable;
  const pack = copyAt(choice, loop);
  const inner = `${packName(choice)}.${layout.length - 1}`;
  const contiguous = layout.at(-1)!.dim === access.dims.length - 1;
  if (isGrouped) return [pack, ...groupsAt(choice, contiguous)];
  if (!contiguous) return [pack, ...turnedAt(choice, target)];
  // Panels along the vector axis are whole vectors wide, others as wide as a register tile has rows.
  const isWhole = panelAxis?.role === "vector";
  const vectors: Instruction<Operand>[] = [
    { kind: "split", loop: inner, factors: [0, lanes], tail: isWhole ? "perfect" : "cut" },
    { kind: "vectorize", loop: `${inner}.1` },
  ];
  return [pack, ...vectors, ...(isWhole ? [{ kind: "unroll", loop: `${inner}.0` } as const] : [])];
}

/** Copies element by element, across the rows of the operand: line by line of these where their lines would evict each other before the next element. */
function turnedAt(choice: PackChoice, target: CpuTarget): readonly Instruction<Operand>[] {
  const { layout, access, panelAxis } = choice.packable;
  const loop = (at: number): string => `${packName(choice)}.${layout.length + at}`;
  const [row, inner] = [loop(-2), loop(-1)];
  const along = layout.at(-2);
  const isRow = along?.part === "whole" && along.dim === access.dims.length - 1;
  const distance = access.pitches[layout.at(-1)!.dim]! * byteSize[access.dtype];
  const rows = panelAxis?.role === "vector" ? 2 * panelAxis.lanes : 1;
  if (!isRow || !(rows > setsBetween(distance, target) * waysOf(target))) return [{ kind: "unroll", loop: inner }];
  return [
    { kind: "split", loop: row, factors: [0, coreOf(target).lineBytes / byteSize[access.dtype]], tail: "cut" },
    { kind: "reorder", loops: [`${row}.0`, inner, `${row}.1`] },
    { kind: "unroll", loop: `${row}.1` },
  ];
}

/** A group is copied at once where it is contiguous; else the groups of a vector's lanes are interleaved from as many rows. */
function groupsAt(choice: PackChoice, contiguous: boolean): readonly Instruction<Operand>[] {
  const { layout, panelAxis } = choice.packable;
  const loop = (at: number): string => `${packName(choice)}.${layout.length + at}`;
  const [panel, group] = [loop(-2), loop(-1)];
  if (contiguous) return [{ kind: "vectorize", loop: group }];
  if (panelAxis?.role !== "vector" && !(panelAxis && isInRows(panelAxis))) return [{ kind: "unroll", loop: group }];
  return [
    { kind: "split", loop: panel, factors: [0, panelAxis.lanes], tail: "perfect" },
    { kind: "fuse", outer: `${panel}.1`, inner: group },
    { kind: "vectorize", loop: `${panel}.1+${group}` },
    { kind: "unroll", loop: `${panel}.0` },
  ];
}
