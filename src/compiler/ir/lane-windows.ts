// Lanes that lie near each other in one buffer, in whatever order → the runs of memory that they are picked from.
//
//   A[3·i], A[3·i + 3], A[3·i + 6], A[3·i + 9]    →    A[3·i … 3·i + 3], A[3·i + 6 … 3·i + 9], and of these elements 0, 3, 4 and 7

import { addAffine, toAffine } from "./affine.ts";
import { boundsOf } from "./bounds.ts";
import { add, constInt, flatIndex, mul, variable } from "./build.ts";
import type { Expr, For, Load } from "./loop-ir.ts";
import { type Ranges, rangesOf } from "./ranges.ts";
import { simplifyIndex } from "./simplify.ts";
import { substitute } from "./visit.ts";

/** Place in memory of the lanes of a vector. */
export interface LaneWindows {
  /** Index of the lane that comes first in memory. */
  readonly base: Expr;
  readonly runs: Runs;
}

export interface Runs {
  /** Elements of each run: a power of two, at most the number of lanes. One where lanes are few elements, each loaded on its own. */
  readonly width: number;
  /** Distances from the first lane at which runs begin, ascending. */
  readonly starts: readonly number[];
  /** Element of each lane, in the runs one behind the other. */
  readonly picks: readonly number[];
}

/** Length of the buffer, and the ranges of variables at the read. With them a run may also have elements that no lane asks for. */
export interface Room {
  readonly length: number;
  readonly ranges: Ranges;
}

/**
 * Returns where lanes with these indices are picked from.
 *
 * @param room null: no run has an element in front of the first lane or behind the last
 * @returns null: single loads are cheaper, or the distances are not the same wherever the loops are
 */
export function windowsOf(indices: readonly Expr[], room: Room | null): LaneWindows | null {
  const distances = indices.map((index) => distance(index, indices[0]!));
  if (!distances.every((it) => it !== null)) return null;
  const least = Math.min(...distances);
  const offsets = distances.map((it) => it - least);
  const base = indices[distances.indexOf(least)]!;
  const runs = runsOf(offsets, room ? roomAround(base, offsets.length, room) : noRoom);
  return runs && { base, runs };
}

/**
 * Returns the windows of each vector of a read along an axis, for as many vectors as it takes until their lanes repeat. Null: one of the
 * vectors has no windows.
 *
 * @param indices as the read has them, a dimension each
 * @param axes all that the indices have
 */
export function windowsAlong(
  { indices }: Pick<Load, "indices">,
  shape: readonly number[],
  axes: readonly Pick<For, "name" | "extent">[],
  along: string,
  { lanes, vectors }: { readonly lanes: number; readonly vectors: number },
): readonly LaneWindows[] | null {
  const turn = lanes * vectors;
  const turns = axes.map(({ name, extent }) =>
    name === along ? { name, extent: Math.max(1, Math.floor(extent / turn)) } : { name, extent },
  );
  const room: Room = { length: shape.reduce((product, extent) => product * extent, 1), ranges: rangesOf(turns) };
  const index = flatIndex(shape, indices);
  const at = (lane: number): Expr => {
    const place = add(mul(variable(along), constInt(turn)), constInt(lane));
    return simplifyIndex(substitute(index, new Map([[along, place]])), room.ranges);
  };
  const windows = Array.from({ length: vectors }, (_, vector) =>
    windowsOf(
      Array.from({ length: lanes }, (_, lane) => at(vector * lanes + lane)),
      room,
    ),
  );
  return windows.every((it) => it !== null) ? windows : null;
}

/** Lanes that are picked from the even lanes of each pair of vectors, or from the odd ones. */
export interface Halves {
  /** Lanes of each pair, counted through both. */
  readonly lanes: readonly number[];
  /** Picks from the vectors of halves, counted through all of them. */
  readonly picks: readonly number[];
}

/** Fewest vectors of which pairs are made: two are one shuffle as they are. */
const leastHalved = 4;

/**
 * Returns how lanes of so many vectors are picked by way of halves. Lanes of another half of the same vectors may have these in common.
 *
 * @returns null: lanes are not all even, or all odd, or the vectors are no pairs
 */
export function halvesOf(picks: readonly number[], width: number, vectors: number): Halves | null {
  const half = (picks[0] ?? 0) % 2;
  if (vectors < leastHalved || vectors % 2 === 1 || !picks.every((place) => place % 2 === half)) return null;
  const lanes = Array.from({ length: width }, (_, lane) => 2 * lane + half);
  return { lanes, picks: picks.map((place) => (place - half) / 2) };
}

/** Elements beside the lanes that runs may have. */
interface Around {
  /** Elements from the first lane back to a multiple of the number of lanes, where such a place is known. */
  readonly before: number;
  /** Elements of the buffer behind the first lane, itself included. */
  readonly behind: number;
}

const noRoom: Around = { before: 0, behind: 0 };

function roomAround(base: Expr, lanes: number, { length, ranges }: Room): Around {
  const { terms, constant } = toAffine(base);
  const isAligned = terms.every(({ coefficient }) => coefficient % lanes === 0);
  const before = isAligned ? ((constant % lanes) + lanes) % lanes : 0;
  const { min, max } = boundsOf(base, ranges);
  return { before: min >= before ? before : 0, behind: length - max };
}

/** Most runs: each is a load, and each but the first a shuffle more. */
const mostRuns = 8;

/** Most elements that are loaded on their own. */
const mostSingle = 4;

/** Least elements of a run: of fewer, each is loaded on its own. */
const leastWidth = 4;

/**
 * Decides about the runs: as long as there are lanes where that much is there, and from places on that other lanes share.
 *
 * @param offsets distances of the lanes, the least is 0
 * @returns null: single loads are cheaper
 */
export function runsOf(offsets: readonly number[], around: Around = noRoom): Runs | null {
  const lanes = offsets.length;
  const end = Math.max(...offsets) + 1;
  const shared = around.behind + around.before < lanes ? null : alignedRuns(offsets, around);
  const own = closestRuns(offsets, end);
  const runs = shared && shared.starts.length <= own.starts.length ? shared : own;
  if (runs.starts.length <= mostRuns && 2 * runs.starts.length <= lanes) return runs;
  return ascending(offsets).length <= mostSingle ? runsFrom(offsets, 1, (offset) => offset) : null;
}

/** Runs as long as there are lanes, which begin at multiples of that, the last perhaps back from the end. */
function alignedRuns(offsets: readonly number[], { before, behind }: Around): Runs {
  const width = offsets.length;
  const startOf = (offset: number): number => Math.min(offset - ((offset + before) % width), behind - width);
  return runsFrom(offsets, width, startOf);
}

/** Runs that begin with a lane, the last back from the end; shorter ones where lanes are few elements again and again. */
function closestRuns(offsets: readonly number[], end: number): Runs {
  const span = Math.min(offsets.length, 2 ** Math.floor(Math.log2(end)));
  const width = span < leastWidth ? 1 : span;
  return runsFrom(offsets, width, (offset) => Math.min(offset, end - width));
}

function runsFrom(offsets: readonly number[], width: number, startOf: (offset: number) => number): Runs {
  const starts: number[] = [];
  for (const offset of ascending(offsets))
    if (starts.length === 0 || offset >= starts.at(-1)! + width) starts.push(startOf(offset));
  const picks = offsets.map((offset) => {
    const run = starts.findIndex((start) => start <= offset && offset < start + width);
    return run * width + offset - starts[run]!;
  });
  return { width, starts, picks };
}

const ascending = (offsets: readonly number[]): readonly number[] => [...new Set(offsets)].sort((a, b) => a - b);

/** Elements from one index to another; null: it is not the same wherever the loops are. */
function distance(to: Expr, from: Expr): number | null {
  const { terms, constant } = addAffine(toAffine(to), toAffine(from), -1);
  return terms.length === 0 ? constant : null;
}
