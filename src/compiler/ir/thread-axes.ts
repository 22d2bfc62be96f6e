// The coordinates of a thread in a launch: which loops they are, and the names of their variables once all threads run a function.

import { lanesOf } from "./lanes.ts";
import type { Expr, For, Stmt, ThreadAxis } from "./loop-ir.ts";

/** Coordinates of a group in the grid, and of a thread in its group, the slowest first. */
export const gridAxes = ["blockIdx.z", "blockIdx.y", "blockIdx.x"] as const satisfies readonly ThreadAxis[];
export const groupAxes = ["threadIdx.z", "threadIdx.y", "threadIdx.x"] as const satisfies readonly ThreadAxis[];

/** Coordinate along which the lanes of a warp lie. */
export const laneAxis = "threadIdx.x" satisfies ThreadAxis;

/** Lanes of a vector that the lanes of a warp hold together; a thread of its own has no vectors of so many. */
export const warpWideLanes = 256;

/** Says whether a value is a tile that the lanes of a warp hold together. */
export const isWarpWide = (value: Expr): boolean => lanesOf(value) >= warpWideLanes;

/** Number of lanes that hold a tile of so many elements together: those of a warp have 16×16, those of four warps have more. */
export const lanesThatHold = (elements: number): number => (elements === warpWideLanes ? 32 : 128);

const isOneOf = (axes: readonly string[], mark: string): mark is ThreadAxis => axes.includes(mark);

/** Returns the coordinate that a loop is bound to; null: none. */
export const gridAxisOf = ({ mark }: For): ThreadAxis | null => (isOneOf(gridAxes, mark) ? mark : null);
export const groupAxisOf = ({ mark }: For): ThreadAxis | null => (isOneOf(groupAxes, mark) ? mark : null);

/** A loop over groups of threads. It stays a loop where there is a single group: what is inside is the launch. */
export const isGridLoop = (loop: For): boolean => gridAxisOf(loop) !== null;

/** A loop over groups of threads, or over the threads of a group. */
export const isThreadLoop = (loop: For): boolean => isGridLoop(loop) || groupAxisOf(loop) !== null;

/** Takes the loops over threads off a launch, and notes their extents. */
export function withoutThreadLoops(stmt: Stmt, extents: Map<ThreadAxis, number>): Stmt {
  const axis = stmt.kind === "for" ? (gridAxisOf(stmt) ?? groupAxisOf(stmt)) : null;
  if (stmt.kind !== "for" || !axis) return stmt;
  extents.set(axis, stmt.extent);
  return withoutThreadLoops(stmt.body, extents);
}
