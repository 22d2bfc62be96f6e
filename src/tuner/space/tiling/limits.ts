// Limits on a tiled stage's use of the machine: registers for its accumulators, each cache for the data that lives in
// it at once, and sets of L1 for rows that are read where they lie.
//
//   j outside i: [block of B: L3 [block of A: L2 [panel of B: L1, panels of A stream through it from L2 [tile: registers]]]]
//   i outside j: [block of A: L3 [block of B: L2 or L3 [panel of A: L1, panels of B stream [tile]]]]
//
// A limit is something that no good schedule exceeds. It is no limit that the panel that stays fits L1: the fastest
// schedules of 512³ fill L1 with it, or more, and stream it from L2 at little cost. Nor is a block of B in L2 with i
// outside: L3 feeds a register tile of four rows. The estimate weighs both. L3 takes what L2 evicts (it is a victim
// cache, or so much larger that it does not matter), so data that lives in L2 is no part of its sum.

import { byteSize, type CpuTarget } from "../../../compiler/index.ts";
import type { Term } from "../../constraint/constraint.ts";
import { atMost, atMostWhen, type Draft, is, product, sum, valuesOf, type Weighted } from "../draft/draft.ts";
import { type Access, dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { setsBetween, waysOf } from "../estimate/plane-conflicts.ts";
import type { OrderChoice } from "./order.ts";
import type { PackChoice } from "./packing.ts";
import { blockOf, registerElementsOf, registerOf, type TiledAxis } from "./tiled-axis.ts";

const names = (axes: readonly TiledAxis[]): string => axes.map((it) => it.axis.name).join(" × ");
const accumulatorsOf = (stage: SchedulableStage): string => `${stage.name}.accumulators`;

/**
 * Live at once in the innermost loop: the accumulators, the vectors of one row of the moving operand, one broadcast
 * element, and without a fused multiply-add their product.
 */
export function limitRegisters(
  draft: Draft,
  stage: SchedulableStage,
  axes: readonly TiledAxis[],
  { vectorRegisters, hasFma }: CpuTarget,
): Draft {
  const spatial = axes.filter((it) => it.role === "spatial" || it.role === "vector");
  const vector = axes.find((it) => it.role === "vector")!;
  const live = `${stage.name}.live-registers`;
  const counted = product(draft, accumulatorsOf(stage), spatial.map(registerOf), `accumulators ${names(spatial)}`);
  const summed = sum(
    counted,
    live,
    [accumulatorsOf(stage), registerOf(vector)].map((term) => ({ coefficient: 1, term })),
    hasFma ? 1 : 2,
    `registers live in the innermost loop of ${stage.name}`,
  );
  const why = `the accumulators ${names(spatial)} and their operands fit ${vectorRegisters} vector registers`;
  return atMost(summed, live, vectorRegisters, why);
}

/** Share of a cache that an operand takes. */
interface Footprint {
  /** "A (i × k)" */
  readonly words: string;
  readonly isVector: boolean;
  /** Bytes that a register tile reads, and those of a block: variables. */
  readonly panel: string;
  readonly block: string;
}

/**
 * The panels that a register tile reads are live together; so are, where tiles of the vector axis are walked outside the
 * others, the panel of the vector operand and the blocks of the others, which every such panel walks again: L2 holds each of
 * these sums. The other order needs no more of L2 than the panels. Blocks of the vector operand fit L3.
 */
export function limitCaches(
  draft: Draft,
  stage: SchedulableStage,
  axes: readonly TiledAxis[],
  { orders, tunable }: OrderChoice,
  { l2Bytes, l3Bytes }: CpuTarget,
): Draft {
  const footprints = stage.reads.map((read) => footprintOf(stage, read, axes));
  const counted = stage.reads.reduce((result, read) => countBytes(result, stage, read, axes), draft);
  const [vectors, others] = [footprints.filter((it) => it.isVector), footprints.filter((it) => !it.isVector)];
  const lanes = axes.find((it) => it.role === "vector")!.lanes;
  const tile = { coefficient: lanes * byteSize[stage.dtype], term: accumulatorsOf(stage) };
  const all: Live = { stage, tile, level: "L2", bytes: l2Bytes, panels: footprints, blocks: [] };
  const panels = limitLive(counted, all, `${stage.name}.panel-bytes`);
  const inL3 = limitLive(
    panels,
    { ...all, tile: null, level: "L3", bytes: l3Bytes, panels: [], blocks: vectors },
    null,
  );
  const inL2 = limitLive(inL3, { ...all, tile: null, panels: [], blocks: others }, null);
  const outside = orders.findIndex((it) => it.vectorOutside);
  const when = tunable ? [is(tunable, outside)] : [];
  if (others.length === 0 || outside < 0) return inL2;
  return limitLive(inL2, { ...all, panels: vectors, blocks: others }, `${stage.name}.l2-bytes`, when);
}

/** Data that lives in a cache at once. */
interface Live {
  readonly stage: SchedulableStage;
  /** The results of a register tile. */
  readonly tile: Weighted | null;
  readonly level: string;
  readonly bytes: number;
  readonly panels: readonly Footprint[];
  readonly blocks: readonly Footprint[];
}

/** `name`: of the sum; without one each footprint is a sum of its own, which for a single one is the same. */
function limitLive(
  draft: Draft,
  { stage, tile, level, bytes, panels, blocks }: Live,
  name: string | null,
  when: Parameters<typeof atMostWhen>[1] = [],
): Draft {
  const operands = [
    ...blocks.map(({ words }) => `a block of ${words}`),
    ...panels.map(({ words }) => `a panel of ${words}`),
  ];
  const all = operands.join(" and ");
  const why = `${all} ${operands.length > 1 ? "fit" : "fits"} ${bytes} bytes of ${level}${operands.length > 1 ? " together" : ""}`;
  const terms = [...blocks.map(({ block }) => block), ...panels.map(({ panel }) => panel)];
  if (name === null && terms.length <= 1)
    return terms.reduce((result, term) => atMost(result, term, bytes, why), draft);
  const result = name ?? `${stage.name}.${level}-block-bytes`;
  const weighted = [...terms.map((term) => ({ coefficient: 1, term })), ...(tile ? [tile] : [])];
  return atMostWhen(sum(draft, result, weighted, 0, `bytes of ${all}`), when, result, bytes, why);
}

function footprintOf(stage: SchedulableStage, read: Access, axes: readonly TiledAxis[]): Footprint {
  const used = usedBy(read, axes);
  const prefix = `${stage.name}.${read.id}`;
  return {
    words: `${read.buffer} (${names(used)})`,
    isVector: used.some((it) => it.role === "vector"),
    panel: `${prefix}.panel-bytes`,
    block: `${prefix}.block-bytes`,
  };
}

const usedBy = (read: Access, axes: readonly TiledAxis[]): readonly TiledAxis[] =>
  axes.filter((it) => it.role !== "outer" && dependsOn(read, it.axis.name));

/** Defines the bytes of a panel and of a block of an operand. */
function countBytes(draft: Draft, stage: SchedulableStage, read: Access, axes: readonly TiledAxis[]): Draft {
  return (["panel", "block"] as const).reduce((result, part) => {
    const elements = (it: TiledAxis): Term =>
      it.role === "whole"
        ? it.axis.extent
        : part === "block" || it.role === "reduce"
          ? blockOf(it)
          : registerElementsOf(it);
    const name = `${stage.name}.${read.id}.${part}`;
    const [withWindows, extents] = extentsOf(result, read, usedBy(read, axes), elements, name);
    return product(
      withWindows,
      `${name}-bytes`,
      [...extents, byteSize[read.dtype]],
      `bytes of a ${part} of ${read.buffer}`,
    );
  }, draft);
}

/**
 * Adds variables for the extents of a part of an operand, for the numbers of elements that its axes have. Along a
 * dimension that a window slides over, the extent is the span of the window's places: y + ky of 4 rows and a window of
 * 3 is 6 rows, not 12.
 */
function extentsOf(
  draft: Draft,
  { dims, spans, buffer }: Access,
  used: readonly TiledAxis[],
  elements: (it: TiledAxis) => Term,
  name: string,
): readonly [Draft, readonly Term[]] {
  const inDims = dims.map((dim) => used.filter((it) => dim?.has(it.axis.name)));
  // An index that is not affine, or a diagonal: no more elements than all of its axes have together.
  const isSpanned = inDims.flat().length === used.length && dims.every((dim) => dim !== null);
  if (!isSpanned) return [draft, used.map(elements)];
  return inDims.reduce<readonly [Draft, readonly Term[]]>(
    ([result, extents], axes, at) => {
      if (axes.length === 0) return [result, [...extents, spans[at]! + 1]];
      if (axes.length === 1 && spans[at] === 0) return [result, [...extents, ...axes.map(elements)]];
      const span = `${name}-span-${at}`;
      const terms = axes.map((it) => ({ coefficient: Math.abs(dims[at]!.get(it.axis.name)!), term: elements(it) }));
      const offset = 1 + spans[at]! - terms.reduce((total, { coefficient }) => total + coefficient, 0);
      return [
        sum(result, span, terms, offset, `span of a window over dimension ${at} of ${buffer}`),
        [...extents, span],
      ];
    },
    [draft, []],
  );
}

/**
 * Rows of an operand that lie a power of two apart fall into the same sets of L1. A register tile walks its rows side
 * by side: with more of them than a set has ways, each evicts a line before all of it has been read, so such an operand
 * is packed, or the tile has less rows. An operand that is always packed needs no such limit. Rows of the vector
 * operand are read one after the other and each line at once: the estimate has the cost of their not staying in L1.
 */
export const limitConflicts = (
  draft: Draft,
  stage: SchedulableStage,
  axes: readonly TiledAxis[],
  packs: readonly PackChoice[],
  target: CpuTarget,
): Draft =>
  packs.reduce((result, { packable: { access }, tunable }) => {
    const rows = rowsOf(stage, access, axes);
    if (!tunable || !rows) return result;
    const most = waysOf(target) * setsBetween(rows.distance, target);
    if (Math.max(...valuesOf(result, registerOf(rows.axis))) <= most) return result;
    const why = `unpacked rows of ${access.buffer}, ${rows.distance} bytes apart, share sets of L1 that hold ${most} of them`;
    return atMostWhen(result, [is(tunable, 0)], registerOf(rows.axis), most, why);
  }, draft);

/** The axis whose tiles have rows of the operand, and the bytes between those; null where there are none, or two such axes. */
function rowsOf(stage: SchedulableStage, { dims, dtype }: Access, axes: readonly TiledAxis[]) {
  const extents = new Map(stage.block.axes.map((axis) => [axis.name, axis.extent]));
  const lengthOf = (dim: ReadonlyMap<string, number> | null): number =>
    [...(dim ?? [])].reduce((length, [name, coefficient]) => length + coefficient * ((extents.get(name) ?? 1) - 1), 1);
  const rows = axes.flatMap((axis) => {
    const at = dims.findIndex((dim) => dim?.has(axis.axis.name));
    if (axis.role !== "spatial" || !axis.isTiled || at < 0 || at === dims.length - 1) return [];
    const inner = dims.slice(at + 1).reduce((product, dim) => product * lengthOf(dim), 1);
    return [{ axis, distance: Math.abs(dims[at]!.get(axis.axis.name)!) * inner * byteSize[dtype] }];
  });
  return rows.length === 1 ? rows[0]! : null;
}
