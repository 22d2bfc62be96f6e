// Which matrices of a tile a subgroup holds. A warp of 32 lanes is one subgroup or several; a tile of 16 × 16 sums is so many matrices of the
// machine's own size, and subgroups have as many each, whole rows of them where they can:
//
//   32 lanes, 8 × 8:  one subgroup has all four          8 lanes, 8 × 8:  each of four has one          16 lanes, 8 × 8:  each of two has a row

import { warpTile } from "../../intrinsic/warp-product.ts";
import { warpLanes } from "../../target/shuffles.ts";
import type { Target } from "../../target/target.ts";
import { cannotRun } from "../cannot.ts";
import { limitOf } from "./limits.ts";

export interface SubgroupShare {
  /** Size of a product of matrices. */
  readonly matrix: { readonly rows: number; readonly columns: number; readonly depth: number };
  /** Lanes of a subgroup, and subgroups of a warp. */
  readonly lanes: number;
  readonly parts: number;
  /** Matrices of sums that a subgroup holds along each axis. */
  readonly rows: number;
  readonly columns: number;
  /** Texts of the numbers of its first row and column of matrices, among those of a tile. */
  readonly firstRow: string;
  readonly firstColumn: string;
}

/** Name of the variable with the number of a subgroup in its warp. */
export const partName = "uk_part";

export function subgroupShare(target: Target): SubgroupShare {
  const size = (name: string): number => limitOf(target, name);
  const [lanes, rows, columns, depth] = [
    size("subgroupLanes"),
    size("matrixRows"),
    size("matrixColumns"),
    size("matrixDepth"),
  ] as const;
  const parts = warpLanes / lanes;
  const [down, along] = [warpTile / rows, warpTile / columns];
  const held = (down * along) / parts;
  if (![parts, down, along, held, Math.max(held, along) / Math.min(held, along)].every(isCount)) {
    const why = `a tile of ${warpTile}×${warpTile} is not made of matrices of ${rows}×${columns} by subgroups of ${lanes}`;
    throw cannotRun("wgsl", why, "this schedule is for another machine");
  }
  const isRows = held >= along;
  const [ownRows, inRow] = [held / along, along / held];
  const times = (text: string, by: number): string => (by === 1 ? text : `${text} * ${by}`);
  return {
    matrix: { rows, columns, depth },
    lanes,
    parts,
    rows: isRows ? ownRows : 1,
    columns: isRows ? along : held,
    firstRow: parts === 1 ? "0" : isRows ? times(partName, ownRows) : `${partName} / ${inRow}`,
    firstColumn: parts === 1 || isRows ? "0" : times(`${partName} % ${inRow}`, held),
  };
}

const isCount = (value: number): boolean => Number.isInteger(value) && value > 0;
