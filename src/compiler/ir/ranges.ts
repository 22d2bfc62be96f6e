// Ranges at the place of an expression of loop IR: those of the loops around it, and what passes remember there.

import * as known from "../affine/ranges.ts";
import type { Affine } from "./affine.ts";
import type { Expr, For } from "./loop-ir.ts";

/** Nodes that were simplified already, linear forms and answers that were found. */
export interface RangeMemory {
  readonly simple: Map<Expr, Expr>;
  readonly forms: Map<Expr, Affine>;
  /** Whether a node is arithmetic on variables and constants alone. */
  readonly arithmetic: Map<Expr, boolean>;
}

export type Ranges = known.Ranges<Expr, RangeMemory>;

export const noRanges: Ranges = known.noRanges();

/** The same ranges, for all nodes of one large expression. */
export const withMemory = (ranges: Ranges): Ranges =>
  ranges.remembering({ simple: new Map(), forms: new Map(), arithmetic: new Map() });

export const withRange = (ranges: Ranges, name: string, min: number, max: number): Ranges =>
  known.withRange(ranges, name, { min, max });

/** Ranges of the variables of these loops (or axes), inside of `around`. */
export const rangesOf = (loops: readonly Pick<For, "name" | "extent">[], around: Ranges = noRanges): Ranges =>
  loops.reduce((ranges, { name, extent }) => withRange(ranges, name, 0, extent - 1), around);

/** The ranges inside a loop. */
export const insideLoop = (ranges: Ranges, { name, extent, mark }: Pick<For, "name" | "extent" | "mark">): Ranges =>
  known.withRange(ranges, name, { min: 0, max: extent - 1 }, mark === "vectorized" && extent > 1);
