// A chain of reductions of which each reads rows of the one before, as two products with a map between them or
// attention: beside the schedule that computes one after the other, one that computes a block of rows from end to end,
// so that what passes between the reductions stays in L2. Inside a block each stage is scheduled by the other rules.
//
//   for i: C[i, …] = Σ …                            for blocks of rows of F
//   for i: D[i, …] = exp(C[i, …])             →       C, D of these rows, n whole
//   for i: F[i, l] = Σ over n: D[i, n]·E[n, l]        F of these rows
//
// After Heron's mergeConsumer. The last block is moved inwards where the blocks do not fill the axis: some rows are
// computed twice, and there is no second copy of all the code.

import { byteSize, type CpuTarget, loopName } from "../../../compiler/index.ts";
import { coreOf } from "../../prior/machine-model.ts";
import {
  atMost,
  type Draft,
  decide,
  instruct,
  type Placement,
  place,
  product,
  sortedUnique,
  tunable,
} from "../draft/draft.ts";
import { isScheduledBy } from "../draft/rule-order.ts";
import {
  type Access,
  coversDimension,
  dependsOn,
  type SchedulableStage,
  type SpatialAxis,
} from "../draft/schedulable-stage.ts";
import type { RuleContext, SpaceRule } from "../draft/space-rule.ts";

export const mergeConsumer: SpaceRule = {
  name: "merge-consumer",
  alongside: true,

  applies(stage, context) {
    const continues = (other: SchedulableStage): boolean =>
      stage.readers.includes(other.name) && chainTo(other, context)?.producers.includes(stage) === true;
    return chainTo(stage, context) !== null && !context.stages.some(continues);
  },

  apply(draft, stage, context) {
    const chain = chainTo(stage, context)!;
    return [draft, inBlocks(draft, stage, chain, context)].flatMap((it) => context.otherwise(it, stage.name));
  },
};

interface Chain {
  /** Stages that are read by rows, each after those that it reads. */
  readonly producers: readonly SchedulableStage[];
  /** Position of the rows among the axes of each stage; the axes before it are the same for all stages. */
  readonly at: number;
}

/**
 * Returns the chain that leads to the stage row by row, if a reduction in it is read again and again by a later one. An inlined
 * stage has no loops of its own under which anything could be placed.
 */
function chainTo(stage: SchedulableStage, context: RuleContext): Chain | null {
  const at = stage.spatial.length - 2;
  if (at < 0 || stage.spatial.some(({ isPart }) => isPart) || isScheduledBy(stage, "inline-stage", context))
    return null;
  const chain: Chain = { producers: producersOf(stage, at, context), at };
  const isTiled = (it: SchedulableStage): boolean => isScheduledBy(it, "multi-level-tiling", context);
  const names = chain.producers.map(({ name }) => name);
  const reducesRows = (it: SchedulableStage): boolean => it.reads.some(({ buffer }) => names.includes(buffer));
  const isChain =
    chain.producers.some(isTiled) && [...chain.producers, stage].some((it) => isTiled(it) && reducesRows(it));
  return isChain && rowCounts(stage, chain, context).length > 0 ? chain : null;
}

/** Returns the stages that only the stage and each other read, all of them by rows. */
function producersOf(stage: SchedulableStage, at: number, { stages }: RuleContext): readonly SchedulableStage[] {
  const found = new Map([[stage.name, stage]]);
  for (const it of stages.toReversed()) {
    const readers = it.readers.map((name) => found.get(name));
    const isRead = readers.length > 0 && readers.every((reader) => reader && readsRows(reader, it, at));
    if (isRead && !it.isOutput) found.set(it.name, it);
  }
  return stages.filter((it) => it !== stage && found.has(it.name));
}

/** Says whether rows are read as a whole. If only a part were read, the blocks of the stage would not end where its own axes do. */
function readsRows(reader: SchedulableStage, stage: SchedulableStage, at: number): boolean {
  const reads = reader.reads.filter(({ buffer }) => buffer === stage.name);
  const inner = [...stage.spatial.entries()].slice(at + 1);
  return (
    reads.every((read) => isOfRow(read, reader, stage, at)) &&
    inner.every(([dim, { extent }]) => reads.some((read) => coversDimension(read, dim, extent, reader)))
  );
}

/** Says whether element [h, i, …] is made from elements [h, i, …] alone. */
const isOfRow = ({ dims, guarded }: Access, reader: SchedulableStage, stage: SchedulableStage, at: number): boolean =>
  !guarded &&
  !dims.includes(null) &&
  stage.spatial.length > at &&
  stage.spatial.slice(0, at + 1).every(({ extent }, dim) => {
    const axis = reader.spatial[dim]!;
    return dims[dim]?.size === 1 && dims[dim].get(axis.name) === 1 && axis.extent === extent;
  });

const elementsOf = (axes: readonly SpatialAxis[]): number => axes.reduce((total, { extent }) => total * extent, 1);

/** Returns the bytes that the producers store of one row. */
const rowBytes = ({ producers, at }: Chain, context: RuleContext): number =>
  producers
    .filter((it) => !isScheduledBy(it, "inline-stage", context))
    .reduce((bytes, { spatial, dtype }) => bytes + byteSize[dtype] * elementsOf(spatial.slice(at + 1)), 0);

/**
 * Returns the numbers of rows that a block may have: up to the share of L2, not all at once unless there are axes around
 * them.
 */
function rowCounts(stage: SchedulableStage, chain: Chain, context: RuleContext): readonly number[] {
  const { extent } = stage.spatial[chain.at]!;
  const isWhole = elementsOf(stage.spatial.slice(0, chain.at)) === 1;
  const most = Math.min(
    isWhole ? extent - 1 : extent,
    Math.floor(shareOfL2(context.task.target) / rowBytes(chain, context)),
  );
  const powers = Array.from({ length: 20 }, (_, exponent) => 2 ** exponent);
  const counts = [...powers.flatMap((power) => [1, 3, 5, 7].map((odd) => odd * power)), extent];
  return sortedUnique(counts.filter((count) => count <= most));
}

/** Returns the bytes of L2 for passed results: the others are for the operands that stream past. */
const shareOfL2 = (target: CpuTarget): number => Math.floor(target.l2Bytes * coreOf(target).passedShareOfL2);

function inBlocks(draft: Draft, stage: SchedulableStage, chain: Chain, context: RuleContext): Draft {
  const axis = stage.spatial[chain.at]!;
  const loop = loopName(stage.name, axis.name);
  const [rows, bytes] = [`${loop}.rows`, `${loop}.rows-bytes`];
  const share = shareOfL2(context.task.target);
  const named = decide(draft, `${chain.producers[0]!.name} to ${stage.name} in blocks of ${axis.name}`);
  const chosen = tunable(named, rows, rowCounts(stage, chain, context));
  const counted = product(
    chosen,
    bytes,
    [rows, rowBytes(chain, context)],
    `bytes between the stages of a block of ${axis.name}`,
  );
  const limited = atMost(
    counted,
    bytes,
    share,
    `what a block of ${axis.name} passes on fits half of L2, ${share} bytes`,
  );
  const split = instruct(limited, { kind: "split", loop, factors: [0, { tunable: rows }], tail: "shift" });
  const most = rowCounts(stage, chain, context).at(-1)!;
  return place(split, placements(stage, chain, { rows, loop, most }, context));
}

interface Blocks {
  /** Tunable that says how many rows a block has. */
  readonly rows: string;
  /** Loop over the rows of the last stage, before it was cut. */
  readonly loop: string;
  /** Number of rows in the largest block. */
  readonly most: number;
}

function placements(
  stage: SchedulableStage,
  chain: Chain,
  { rows, loop, most }: Blocks,
  context: RuleContext,
): readonly Placement[] {
  const { producers, at } = chain;
  const leading = stage.spatial.slice(0, at).map(({ name }) => name);
  const passed = rowBytes(chain, context) * elementsOf(stage.spatial.slice(0, at + 1));
  // If L3 holds the values that the stages pass on, blocks save little, so the traffic is not taken as saved.
  const kept = passed > context.task.target.l3Bytes ? producers.map(({ name }) => name) : [];
  return [...producers, stage].map((it): Placement => {
    const axis = it.spatial[at]!;
    const isLast = it === stage;
    return {
      stage: it.name,
      extents: new Map([...it.spatial.slice(0, at).map(({ name }) => [name, 1] as const), [axis.name, most]]),
      times: elementsOf(it.spatial.slice(0, at)),
      block: {
        axis: axis.name,
        size: rows,
        rows: axis.extent,
        at: isLast ? null : `${loop}.0`,
        loop: isLast ? `${loop}.1` : null,
        outside: isLast ? leading : [],
        shared: sharedOperands(it, axis, context),
        bytesFromMemory: bytesFromMemory(it, kept),
      },
    };
  });
}

/** Returns inputs that no other stage reads, and that do not depend on the rows. */
function sharedOperands(
  { name, reads }: SchedulableStage,
  rows: SpatialAxis,
  { task, stages }: RuleContext,
): readonly string[] {
  const isOwn = (buffer: string): boolean =>
    task.op.inputs.some((input) => input.name === buffer) &&
    stages.every((other) => other.name === name || other.reads.every((read) => read.buffer !== buffer));
  return reads.filter((read) => isOwn(read.buffer) && !dependsOn(read, rows.name)).map(({ buffer }) => buffer);
}

/**
 * Counts bytes read and written besides the results of the `kept` stages, as often as the estimates of whole stages count
 * them.
 */
function bytesFromMemory(stage: SchedulableStage, kept: readonly string[]): number {
  const axes = [...stage.spatial, ...stage.reduce];
  const read = stage.reads
    .filter(({ buffer }) => !kept.includes(buffer))
    .reduce((sum, it) => sum + byteSize[it.dtype] * elementsOf(axes.filter(({ name }) => dependsOn(it, name))), 0);
  return read + (kept.includes(stage.name) ? 0 : byteSize[stage.dtype] * elementsOf(stage.spatial));
}
