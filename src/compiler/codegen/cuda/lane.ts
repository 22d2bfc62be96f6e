// The lane that a vector expression is printed for: one of a short vector, by number, or the place in a tile that a lane of a
// warp holds. Tiles have 16×16 elements, row by row; of their sums, lane `l` of a warp holds eight, as mma.sync lays them out:
//
//   element e:  row  l / 4 + 8 · (e / 2 % 2)      column  8 · (e / 4) + 2 · (l % 4) + e % 2

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

const tileColumns = 16;

/** Registers that a lane of a warp holds a tile of sums in. */
export const sumsPerLane = 8;

/** Names of the variables with the row and column of a lane's first element. */
export const laneRow = "uk_row";
export const laneColumn = "uk_column";

/** Element of a tile of sums, for the code of a whole warp. */
export function elementAt(element: number): Lane {
  const row = `(${laneRow} + ${8 * (Math.floor(element / 2) % 2)})`;
  const column = `(${laneColumn} + ${8 * Math.floor(element / 4) + (element % 2)})`;
  return {
    over: (n) => (n === tileColumns ? row : "0"),
    within: (n) => (n === tileColumns ? column : `(${row} * ${tileColumns} + ${column})`),
    register: element,
  };
}
