// The lane that a vector expression is printed for: one of a short vector, by number, or the place in a tile that a lane of a
// warp holds. Of a tile of sums of 16×16, lane `l` of the warp holds eight, as mma.sync lays them out; of one of 64 rows, which
// four warps hold, warp `w` has sixteen rows, as wgmma lays them out:
//
//   element e:  row  16 · w + l / 4 + 8 · (e / 2 % 2)      column  8 · (e / 4) + 2 · (l % 4) + e % 2

import { groupTile } from "../../intrinsic/cuda-wgmma.ts";
import { lanesThatHold, warpWideLanes } from "../../ir/thread-axes.ts";

export interface Lane {
  /** Text of ⌊lane / n⌋ and of the rest, for the rows and columns of a ramp. */
  readonly over: (n: number) => string;
  readonly within: (n: number) => string;
  /** Which of the registers of a local holds it. */
  readonly register: number;
}

/** Lane of a short vector. */
export const laneAt = (at: number): Lane => ({
  over: (n) => String(Math.floor(at / n)),
  within: (n) => String(at % n),
  register: at,
});

/** Columns of a tile of sums with so many elements: 16 of one warp's, else of 64 rows that four warps hold. */
export const columnsOf = (elements: number): number => (elements === warpWideLanes ? 16 : elements / groupTile.rows);

/** Registers that a lane holds its part of a tile of sums in. */
export const sumsPerLane = (elements: number): number => elements / lanesThatHold(elements);

/** Names of the variables with the row and column of a lane's first element. */
export const laneRow = "uk_row";
export const laneColumn = "uk_column";

/** Element of a tile of sums, for the code of all lanes that hold it. */
export function elementAt(element: number, elements: number): Lane {
  const columns = columnsOf(elements);
  const row = `(${laneRow} + ${8 * (Math.floor(element / 2) % 2)})`;
  const column = `(${laneColumn} + ${8 * Math.floor(element / 4) + (element % 2)})`;
  return {
    over: (n) => (n === columns ? row : "0"),
    within: (n) => (n === columns ? column : `(${row} * ${columns} + ${column})`),
    register: element,
  };
}
