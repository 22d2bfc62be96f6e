// What a group of threads may take of the machine, as constraints over its tiles.

import { type AcceleratorTarget, warpTile } from "../../../compiler/index.ts";
import { atMost, constrain, type Draft, is, product, sum, valuesOf } from "../draft/draft.ts";
import {
  divides,
  groupsOf,
  groupTilesOf,
  lanesOfWarp,
  neighboursOf,
  registerOf,
  stagesOf,
  stepsOf,
  unrollOf,
  warpsOf,
} from "./group-tiles.ts";
import type { Axis, WarpProduct } from "./warp-product.ts";

export const threadsOf = ({ stage }: WarpProduct): string => `${stage.name}.threads`;
export const sumsOf = ({ stage }: WarpProduct): string => `${stage.name}.sums`;
export const registersOf = ({ stage }: WarpProduct): string => `${stage.name}.registers`;
export const groupBytesOf = ({ stage }: WarpProduct): string => `${stage.name}.group-bytes`;

/** Elements by which rows of a tile in the memory of a group are longer, so that eight of them lie in different banks. */
export const padding = 8;

const bytesOfElement = 2;

/** Fewest threads of a group: one warp alone waits for each of its loads. */
const leastThreads = 64;
/** Sums of a tile that each lane of a warp holds, and most of all tiles together: more of them leave the registers. */
const sumsOfTile = (warpTile * warpTile) / lanesOfWarp;
const mostSums = 128;
/** Registers of a tile of an operand, and those for addresses and counters. */
const registersOfOperand = 4;
const registersBeside = 32;

export function limitGroups(draft: Draft, warps: WarpProduct, { limits }: AcceleratorTarget): Draft {
  const whole = [warps.rows, warps.columns].reduce(wholeGroups, draft);
  const copied = limitCopies(limitNeighbours(whole, warps.rows), warps);
  return limitMemory(limitRegisters(copied, warps, limits), warps, limits);
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

const limitNeighbours = (draft: Draft, rows: Axis): Draft =>
  multiples(draft, groupsOf(rows), neighboursOf(rows), `groups along ${rows.name} that run side by side divide them`);

/**
 * Copies to the memory of a group are made by all of its threads alike, eight elements each: a warp's own share of its operand, which it
 * copies with the warps along the other axis, falls into equal parts.
 */
function limitCopies(draft: Draft, { stage, rows, columns, depth, left, right }: WarpProduct): Draft {
  const operands = [
    { of: left, own: rows, others: columns },
    { of: right, own: columns, others: rows },
  ];
  return operands.reduce((result, { of, own, others }) => {
    const name = `${stage.name}.${own.name}.copied`;
    const tiles = [registerOf(own), unrollOf(depth)];
    const counted = product(result, name, tiles, `tiles of ${of.buffer} that a warp reads in a step`);
    return multiples(counted, name, warpsOf(others), `all warps of a group copy as much of ${of.buffer}`);
  }, draft);
}

/** Adds a limit: one variable is a multiple of another, for each value of that. */
function multiples(draft: Draft, variable: string, of: string, why: string): Draft {
  const values = valuesOf(draft, variable);
  return valuesOf(draft, of).reduce((result, divisor) => {
    const then = { kind: "one-of", variable, values: values.filter((value) => value % divisor === 0) } as const;
    return constrain(result, { kind: "conditional", when: [is(of, divisor)], then, why, role: "limit" });
  }, draft);
}

function limitRegisters(draft: Draft, warps: WarpProduct, limits: Limits): Draft {
  const { rows, columns, stage } = warps;
  const [threads, sums, registers] = [threadsOf(warps), sumsOf(warps), registersOf(warps)];
  const counted = product(draft, threads, [lanesOfWarp, warpsOf(rows), warpsOf(columns)], "threads of a group");
  const most = limits.threadsPerGroup ?? 0;
  const few = atMost(counted, threads, most, `a group has at most ${most} threads`);
  const enough = atMost(few, leastThreads, threads, `a group has at least ${leastThreads} threads`);
  const tiles = [sumsOfTile, registerOf(rows), registerOf(columns)];
  const summed = atMost(
    product(enough, sums, tiles, `sums of ${stage.name} that a thread holds`),
    sums,
    mostSums,
    `a thread holds at most ${mostSums} sums of ${stage.name} in registers`,
  );
  const terms = [
    { coefficient: 1, term: sums },
    ...[rows, columns].map((axis) => ({ coefficient: registersOfOperand, term: registerOf(axis) })),
  ];
  const needed = sum(summed, registers, terms, registersBeside, "registers of a thread, about");
  const file = limits.registersPerProcessor ?? 0;
  const all = product(needed, `${registers}.group`, [threads, registers], "registers of a group, about");
  return atMost(all, `${registers}.group`, file, `the threads of a group fit ${file} registers`);
}

/**
 * The operands of all steps at hand. A step has 16·t elements of the depth, so the left one has as many rows of 16·t + 8 as the
 * group, and the right one 16·t rows of as many elements as it has columns, and 8. All of that is a multiple of 256 bytes.
 */
function limitMemory(draft: Draft, warps: WarpProduct, limits: Limits): Draft {
  const { stage, rows, columns, depth, left, right } = warps;
  const unit = warpTile * padding * bytesOfElement;
  const [bytes, stages] = [groupBytesOf(warps), stagesOf(warps)];
  const tilesOf = (axis: Axis): string => `${stage.name}.${axis.name}.tiles`;
  const tiled = [rows, columns].reduce((result, axis) => {
    const why = `tiles of a step along ${axis.name} and ${depth.name}`;
    return product(result, tilesOf(axis), [groupTilesOf(axis), unrollOf(depth)], why);
  }, draft);
  const terms = [
    ...[rows, columns].map((axis) => ({ coefficient: warpTile / padding, term: tilesOf(axis) })),
    { coefficient: 1, term: groupTilesOf(rows) },
    { coefficient: 1, term: unrollOf(depth) },
  ];
  const why = `memory of a group for a step of ${stage.name}, in ${unit} bytes`;
  const slot = sum(tiled, `${bytes}.units`, terms, 0, why);
  const counted = product(slot, bytes, [unit, `${bytes}.units`, stages], "bytes of memory of a group");
  const most = limits.groupBytes ?? 0;
  const limited = atMost(
    counted,
    bytes,
    most,
    `tiles of ${left.buffer} and ${right.buffer} for all steps at hand fit the ${most} bytes of a group`,
  );
  const known = [{ coefficient: 1, term: stepsOf(depth) }];
  const ahead = sum(limited, `${stages}.most`, known, 1, `steps of ${depth.name}, and one`);
  return atMost(ahead, stages, `${stages}.most`, `no more steps are at hand than ${depth.name} has, and one`);
}
