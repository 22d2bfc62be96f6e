// The lane that a vector expression is printed for: one of a short vector, by number, or the place in a tile that a lane of a
// warp holds. Of a tile of sums of 16×16, lane `l` of the warp holds eight, as mma.sync lays them out; of one of 64 rows, which
// four warps hold, warp `w` has sixteen rows, as wgmma lays them out:
//
//   element e:  row  16 · w + l / 4 + 8 · (e / 2 % 2)      column  8 · (e / 4) + 2 · (l % 4) + e % 2

import { groupTile } from "../../../intrinsic/cuda-wgmma.ts";
import { lanesThatHold, warpWideLanes } from "../../../ir/thread-axes.ts";

/** A number that a lane has: a known one, or one by the row and the column of the first element that a lane of a warp holds. */
export type LaneNumber =
  | { readonly kind: "known"; readonly value: number }
  | { readonly kind: "row"; readonly plus: number }
  | { readonly kind: "column"; readonly plus: number }
  /** Row and column, in rows of so many columns. */
  | { readonly kind: "both"; readonly row: number; readonly column: number; readonly columns: number };

export interface Lane {
  /** ⌊lane / n⌋ and the rest, for the rows and columns of a ramp. */
  readonly over: (n: number) => LaneNumber;
  readonly within: (n: number) => LaneNumber;
  /** Which of the registers of a local holds it. */
  readonly register: number;
}

const known = (value: number): LaneNumber => ({ kind: "known", value });

/** Lane of a short vector. */
export const laneAt = (at: number): Lane => ({
  over: (n) => known(Math.floor(at / n)),
  within: (n) => known(at % n),
  register: at,
});

/** The lane among those of a vector that is repeated. */
export function laneWithin(lane: Lane, lanes: number): Lane {
  const within = lane.within(lanes);
  return {
    over: () => known(0),
    within: () => within,
    register: within.kind === "known" ? within.value : lane.register,
  };
}

/** Columns of a tile of sums with so many elements: 16 of one warp's, else of 64 rows that four warps hold. */
export const columnsOf = (elements: number): number => (elements === warpWideLanes ? 16 : elements / groupTile.rows);

/** Registers that a lane holds its part of a tile of sums in. */
export const sumsPerLane = (elements: number): number => elements / lanesThatHold(elements);

/** Element of a tile of sums, for the code of all lanes that hold it. */
export function elementAt(element: number, elements: number): Lane {
  const columns = columnsOf(elements);
  const row = 8 * (Math.floor(element / 2) % 2);
  const column = 8 * Math.floor(element / 4) + (element % 2);
  return {
    over: (n) => (n === columns ? { kind: "row", plus: row } : known(0)),
    within: (n) => (n === columns ? { kind: "column", plus: column } : { kind: "both", row, column, columns }),
    register: element,
  };
}
