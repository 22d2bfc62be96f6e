// Limits of the machine for a group of threads, as constraints over its tiles.

import { type AcceleratorTarget, byteSize, type Condition } from "../../../compiler/index.ts";
import { gpuSizes } from "../../prior/tensor-core-sizes.ts";
import { atMost, constrain, type Draft, derived, is, product, sortedUnique, sum, valuesOf } from "../draft/draft.ts";
import { mostParts } from "../parts/parts.ts";
import {
  clusterOf,
  divides,
  groupsOf,
  groupTilesOf,
  neighboursOf,
  registerOf,
  roundsOf,
  stagesOf,
  stepsOf,
  tilesAlong,
  unrollOf,
  warpsOf,
} from "./group-tiles.ts";
import { type Axis, isPersistent, isSpecialized, type TileShape, type WarpProduct } from "./warp-product.ts";

export const threadsOf = ({ stage }: WarpProduct): string => `${stage.name}.threads`;
export const sumsOf = ({ stage }: WarpProduct): string => `${stage.name}.sums`;
export const registersOf = ({ stage }: WarpProduct): string => `${stage.name}.registers`;
export const groupBytesOf = ({ stage }: WarpProduct): string => `${stage.name}.group-bytes`;

const { pieceBytes, panelRows, barrierBytes, leastThreads, mostSums } = gpuSizes;
const { warpRegisters, groupRegisters, persistentRegisters } = gpuSizes;

/** Sums of a tile that each of its lanes holds. */
const sumsOfTile = ({ rows, columns, lanes }: TileShape): number => (rows * columns) / lanes;

/** @param isSpread whether a tile of sums lies in the memory of the group while its elements are finished */
export function limitGroups(
  draft: Draft,
  warps: WarpProduct,
  { limits }: Pick<AcceleratorTarget, "limits">,
  isSpread = false,
): Draft {
  const whole = [warps.rows, warps.columns].reduce(wholeGroups, draft);
  const copied = limitCopies(limitNeighbours(whole, warps), warps);
  return limitMemory(limitRegisters(copied, warps, limits), warps, limits, isSpread);
}

type Limits = AcceleratorTarget["limits"];

const wholeGroups = (draft: Draft, axis: Axis): Draft =>
  constrain(draft, {
    kind: "one-of",
    variable: groupTilesOf(axis),
    values: valuesOf(draft, groupTilesOf(axis)).filter(divides(axis)),
    why: `groups of threads divide the ${axis.extent} of ${axis.name}`,
    role: "limit",
  });

function limitNeighbours(draft: Draft, warps: WarpProduct): Draft {
  const { rows } = warps;
  const [parts, what] = isPersistent(warps)
    ? [[neighboursOf(rows), roundsOf(rows)], "that run side by side, and their rounds,"]
    : [[neighboursOf(rows)], "that run side by side"];
  const divided = multiples(draft, groupsOf(rows), parts, `groups along ${rows.name} ${what} divide them`);
  if (!isPersistent(warps)) return divided;
  return multiples(divided, neighboursOf(rows), [clusterOf(warps)], "groups of a cluster run side by side");
}

/**
 * Copies to the memory of a group are made by all of its threads alike, 16 bytes each: a warp's own share of its operand, which it
 * copies with the warps along the other axis, falls into equal parts.
 */
function limitCopies(draft: Draft, warps: WarpProduct): Draft {
  if (warps.copying !== "by threads") return draft;
  if (warps.tile.panel !== null) return limitPanelCopies(draft, warps);
  const { stage, rows, columns, depth, left, right } = warps;
  const operands = [
    { of: left, own: rows, others: columns },
    { of: right, own: columns, others: rows },
  ];
  return operands.reduce((result, { of, own, others }) => {
    const name = `${stage.name}.${own.name}.copied`;
    const tiles = [registerOf(own), unrollOf(depth)];
    const counted = product(result, name, tiles, `tiles of ${of.buffer} that a warp reads in a step`);
    return multiples(counted, name, [warpsOf(others)], `all warps of a group copy as much of ${of.buffer}`);
  }, draft);
}

/** Copies to panels: each warp takes as many rows of a panel, sixteen at a time with a piece for every lane. */
function limitPanelCopies(draft: Draft, { stage, rows, columns, depth, left, right, tile }: WarpProduct): Draft {
  const along = tile.isAlongDepth
    ? [groupTilesOf(columns), columns.tile / panelRows]
    : [unrollOf(depth), depth.tile / panelRows];
  const read = [
    { of: left, own: rows, factors: [groupTilesOf(rows), rows.tile / panelRows] },
    { of: right, own: columns, factors: along },
  ];
  return read.reduce((result, { of, own, factors }) => {
    const name = `${stage.name}.${own.name}.copied`;
    const copied = product(result, name, factors, `rows of ${of.buffer} in a step, by ${panelRows}`);
    return multiples(
      copied,
      name,
      [warpsOf(rows), warpsOf(columns)],
      `all warps of a group copy as much of ${of.buffer}`,
    );
  }, draft);
}

/** Adds a limit: one variable is a multiple of the product of others, for all of their values. */
function multiples(draft: Draft, variable: string, of: readonly string[], why: string): Draft {
  const values = valuesOf(draft, variable);
  const cases = of.reduce<readonly Case[]>(
    (known, name) =>
      known.flatMap(({ when, divisor }) =>
        valuesOf(draft, name).map((value) => ({ when: [...when, is(name, value)], divisor: divisor * value })),
      ),
    [{ when: [], divisor: 1 }],
  );
  return cases.reduce((result, { when, divisor }) => {
    const then = { kind: "one-of", variable, values: values.filter((value) => value % divisor === 0) } as const;
    return constrain(result, { kind: "conditional", when, then, why, role: "limit" });
  }, draft);
}

interface Case {
  readonly when: readonly Condition[];
  readonly divisor: number;
}

function limitRegisters(draft: Draft, warps: WarpProduct, limits: Limits): Draft {
  const { rows, columns, stage, tile } = warps;
  const [threads, sums, registers] = [threadsOf(warps), sumsOf(warps), registersOf(warps)];
  const counted = withThreads(draft, warps);
  const most = limits.threadsPerGroup ?? 0;
  const few = atMost(counted, threads, most, `a group has at most ${most} threads`);
  const enough = atMost(few, leastThreads, threads, `a group has at least ${leastThreads} threads`);
  const tiles = [sumsOfTile(tile), registerOf(rows), registerOf(columns)];
  const summed = atMost(
    product(enough, sums, tiles, `sums of ${stage.name} that a thread holds`),
    sums,
    mostSums,
    `a thread holds at most ${mostSums} sums of ${stage.name} in registers`,
  );
  const { perSum, beside } = registersBy(warps);
  const held = `${registers}.sums`;
  const shares = [perSum * sumsOfTile(tile), registerOf(rows), registerOf(columns)];
  const withSums = product(summed, held, shares, "registers of sums and operands, about");
  const needed = sum(withSums, registers, [{ coefficient: 1, term: held }], beside, "registers of a thread, about");
  const file = limits.registersPerProcessor ?? 0;
  const all = product(needed, `${registers}.group`, [threads, registers], "registers of a group, about");
  return atMost(all, `${registers}.group`, file, `the threads of a group fit ${file} registers`);
}

function registersBy(warps: WarpProduct): { readonly perSum: number; readonly beside: number } {
  if (warps.tile.panel === null) return warpRegisters;
  return isPersistent(warps) ? persistentRegisters : groupRegisters;
}

/** Threads of a group: those that copy and compute nothing are one warp more along the rows. */
function withThreads(draft: Draft, warps: WarpProduct): Draft {
  const { rows, columns, tile } = warps;
  const threads = threadsOf(warps);
  const along = `${threads}.along-rows`;
  const known = [{ coefficient: 1, term: warpsOf(rows) }];
  const why = `warps of a group along ${rows.name}, and those that copy`;
  const counted = isSpecialized(warps) ? sum(draft, along, known, 1, why) : draft;
  const down = isSpecialized(warps) ? along : warpsOf(rows);
  return product(counted, threads, [tile.lanes, down, warpsOf(columns)], "threads of a group");
}

/** The operands of all steps at hand, and the tiles whose elements are computed there. */
function limitMemory(draft: Draft, warps: WarpProduct, limits: Limits, isSpread: boolean): Draft {
  const { depth, left, right } = warps;
  const [bytes, stages] = [groupBytesOf(warps), stagesOf(warps)];
  const { slot, unit } = warps.tile.panel === null ? paddedSlot(draft, warps) : panelSlot(draft, warps);
  const { held, slots } = heldSlots(slot, warps);
  const counted =
    warps.copying !== "by threads"
      ? withBarriers(held, warps, unit)
      : product(held, bytes, [unit, `${bytes}.units`, slots], "bytes of memory of a group");
  const most = limits.groupBytes ?? 0;
  const operands = `tiles of ${left.buffer} and ${right.buffer} for all steps at hand`;
  const fit = `fit the ${most} bytes of a group`;
  const limited = isSpread
    ? atMost(withTiles(counted, warps), `${bytes}.with-tiles`, most, `${operands}, and a tile of each warp, ${fit}`)
    : atMost(counted, bytes, most, `${operands} ${fit}`);
  const known = [{ coefficient: 1, term: stepsOf(depth) }];
  const ahead = sum(limited, `${stages}.most`, known, 1, `steps of ${depth.name}, and one`);
  return atMost(ahead, stages, `${stages}.most`, `no more steps are at hand than ${depth.name} has, and one`);
}

/** A draft with the variable of the slots that its operands take. */
interface HeldSlots {
  readonly held: Draft;
  readonly slots: string;
}

/** A single step is no loop: nothing is copied ahead of it, and it takes one slot. Steps of a part are fewest where there are most parts. */
function heldSlots(draft: Draft, warps: WarpProduct): HeldSlots {
  const { depth, parts } = warps;
  const stages = stagesOf(warps);
  const isSingle = [is(unrollOf(depth), tilesAlong(depth)), ...(parts ? [is(parts.count, mostParts(parts))] : [])];
  if (!isSingle.every(({ tunable, oneOf }) => valuesOf(draft, tunable).includes(oneOf[0]!))) {
    return { held: draft, slots: stages };
  }
  const slots = `${stages}.slots`;
  const counts = valuesOf(draft, stages);
  const cases = [
    { when: isSingle, count: 1 },
    ...isSingle.flatMap((single) =>
      counts.map((count) => ({ when: [otherThan(draft, single), is(stages, count)], count })),
    ),
  ];
  const why = `slots for steps of ${depth.name}: one, where there is one step`;
  const held = cases.reduce(
    (result, { when, count }) => {
      if (when.some(({ oneOf }) => oneOf.length === 0)) return result;
      const then = { kind: "one-of", variable: slots, values: [count] } as const;
      return constrain(result, { kind: "conditional", when, then, why, role: "limit" });
    },
    derived(draft, slots, sortedUnique([1, ...counts])),
  );
  return { held, slots };
}

const otherThan = (draft: Draft, { tunable, oneOf }: Condition): Condition => ({
  tunable,
  oneOf: valuesOf(draft, tunable).filter((value) => !oneOf.includes(value)),
});

/** Memory of operands, and of a barrier for each step at hand, at which boxes arrive, and one at which its slot is released for the next. */
function withBarriers(draft: Draft, warps: WarpProduct, unit: number): Draft {
  const [bytes, stages] = [groupBytesOf(warps), stagesOf(warps)];
  const operands = `${bytes}.operands`;
  const copied = product(draft, operands, [unit, `${bytes}.units`, stages], "bytes of operands of a group");
  const terms = [
    { coefficient: 1, term: operands },
    { coefficient: isSpecialized(warps) ? 2 * barrierBytes : barrierBytes, term: stages },
  ];
  return sum(copied, bytes, terms, 0, "bytes of memory of a group");
}

/** Memory of operands, and of one tile of sums a warp. */
function withTiles(draft: Draft, warps: WarpProduct): Draft {
  const { rows, columns, lanes } = warps.tile;
  const sumBytes = byteSize[warps.intrinsic.meaning.buffers[0]!.dtype];
  const terms = [
    { coefficient: 1, term: groupBytesOf(warps) },
    { coefficient: (rows * columns * sumBytes) / lanes, term: threadsOf(warps) },
  ];
  return sum(
    draft,
    `${groupBytesOf(warps)}.with-tiles`,
    terms,
    0,
    "bytes of memory of a group, tiles of sums among them",
  );
}

/** A draft with the memory of one step, as a variable in units of so many bytes. */
interface Slot {
  readonly slot: Draft;
  readonly unit: number;
}

/**
 * A step has t tiles of the depth. A tile of an operand has 16 rows, and 32 bytes of each. Where rows run along the depth, a group has
 * 16·g rows of 32·t + 16 bytes; where they run along the columns, a step has 16·t rows of 32·g + 16 bytes.
 */
function paddedSlot(draft: Draft, warps: WarpProduct): Slot {
  const { stage, rows, columns, depth, tile } = warps;
  const unit = tile.rows * pieceBytes;
  const tilesOf = (axis: Axis): string => `${stage.name}.${axis.name}.tiles`;
  const tiled = [rows, columns].reduce((result, axis) => {
    const why = `tiles of a step along ${axis.name} and ${depth.name}`;
    return product(result, tilesOf(axis), [groupTilesOf(axis), unrollOf(depth)], why);
  }, draft);
  const terms = [
    ...[rows, columns].map((axis) => ({ coefficient: (tile.depth * tile.bytes) / pieceBytes, term: tilesOf(axis) })),
    { coefficient: 1, term: groupTilesOf(rows) },
    { coefficient: 1, term: tile.isAlongDepth ? groupTilesOf(columns) : unrollOf(depth) },
  ];
  const why = `memory of a group for a step of ${stage.name}, in ${unit} bytes`;
  return { slot: sum(tiled, `${groupBytesOf(warps)}.units`, terms, 0, why), unit };
}

/** Panels have no padding: a step has as many rows and columns as the group, times its depth. */
function panelSlot(draft: Draft, warps: WarpProduct): Slot {
  const { stage, rows, columns, depth, tile } = warps;
  const unit = tile.depth * tile.bytes;
  const ends = `${stage.name}.rows-and-columns`;
  const terms = [rows, columns].map((axis) => ({ coefficient: axis.tile, term: groupTilesOf(axis) }));
  const counted = sum(draft, ends, terms, 0, `rows and columns of a group`);
  const why = `memory of a group for a step of ${stage.name}, in ${unit} bytes`;
  return { slot: product(counted, `${groupBytesOf(warps)}.units`, [ends, unrollOf(depth)], why), unit };
}
