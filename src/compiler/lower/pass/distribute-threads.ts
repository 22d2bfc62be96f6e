// Loops over threads → one function that every thread runs. Loops over groups come to the outside, loops over threads right
// below them, under the names of their coordinates; what stood beside such loops is done by all threads, or by the first one
// where it stores. Registers become each thread's own, and barriers are placed where threads meet.
//
//   for i in 0..4 (blockIdx.x)                  for blockIdx.x in 0..4
//     for t in 0..32 (threadIdx.x): P[t] = …      for threadIdx.x in 0..32
//     for u in 0..16 (threadIdx.x): C[u] = …        P[threadIdx.x] = …
//                                                   if (threadIdx.x < 16) C[threadIdx.x] = …
//
// Each nest of groups at the top of a function is a launch. Statements beside them are a launch of one thread.

import { constInt, eq, forLoop, ifThen, lt, seq, variable } from "../../ir/build.ts";
import type { For, LoopFunc, Stmt, Store, ThreadAxis } from "../../ir/loop-ir.ts";
import { gridAxes, gridAxisOf, groupAxes, groupAxisOf, laneAxis, warpWideLanes } from "../../ir/thread-axes.ts";
import { lanesOf, mapChildren, substituteStmt, walkStmt } from "../../ir/visit.ts";
import { ownRegisters } from "./distribute-threads/own-registers.ts";
import { placeBarriers } from "./distribute-threads/place-barriers.ts";
import type { Pass } from "./pass.ts";

export const distributeThreads: Pass = {
  name: "distribute-threads",
  run(func) {
    const launches = func.body.kind === "seq" ? func.body.body : [func.body];
    const threads = { ...func, body: seq(...launches.map((launch) => distribute(launch, func))) };
    return placeBarriers(ownRegisters(threads));
  },
};

/** Number of threads along each coordinate that a launch has. */
type Extents = ReadonlyMap<ThreadAxis, number>;

function distribute(launch: Stmt, func: LoopFunc): Stmt {
  const grid = new Map<ThreadAxis, number>();
  const body = withoutGrid(launch, grid);
  const group = new Map<ThreadAxis, number>();
  walkStmt(body, (stmt) => {
    const axis = stmt.kind === "for" ? groupAxisOf(stmt) : null;
    if (axis && stmt.kind === "for") group.set(axis, Math.max(group.get(axis) ?? 1, stmt.extent));
  });
  const stores = new Set(func.buffers.filter(({ memory }) => memory !== "register").map(({ name }) => name));
  const threads = threadBody(body, { group, bound: new Set(), stores });
  return around(gridAxes, grid, around(groupAxes, group, threads));
}

/** The loops of a launch, all of them on the outside; one thread is a launch, too. */
function around(axes: readonly ThreadAxis[], extents: Extents, body: Stmt): Stmt {
  return axes.reduceRight((inner, axis) => {
    const extent = extents.get(axis);
    return extent === undefined ? inner : forLoop(axis, extent, inner, axis);
  }, body);
}

/** Takes the loops over groups off a launch, and notes their extents. */
function withoutGrid(stmt: Stmt, grid: Map<ThreadAxis, number>): Stmt {
  const axis = stmt.kind === "for" ? gridAxisOf(stmt) : null;
  if (stmt.kind !== "for" || !axis) return stmt;
  grid.set(axis, stmt.extent);
  return withoutGrid(renamed(stmt, axis), grid);
}

const renamed = (loop: For, axis: ThreadAxis): Stmt =>
  substituteStmt(loop.body, new Map([[loop.name, variable(axis)]]));

interface Threads {
  readonly group: Extents;
  /** Coordinates that loops around the statement run over. */
  readonly bound: ReadonlySet<ThreadAxis>;
  /** Names of the buffers that threads share. */
  readonly stores: ReadonlySet<string>;
}

function threadBody(stmt: Stmt, threads: Threads): Stmt {
  if (stmt.kind === "store") return byOneThread(stmt, threads);
  const axis = stmt.kind === "for" ? groupAxisOf(stmt) : null;
  if (stmt.kind !== "for" || !axis) return mapChildren(stmt, (child) => threadBody(child, threads));
  const bound = new Set(threads.bound).add(axis);
  const body = threadBody(renamed(stmt, axis), { ...threads, bound });
  return stmt.extent < threads.group.get(axis)! ? ifThen(lt(variable(axis), constInt(stmt.extent)), body) : body;
}

/** A store to shared memory that not all coordinates run over is done by the first thread along the others. */
function byOneThread(stmt: Store, { group, bound, stores }: Threads): Stmt {
  if (!stores.has(stmt.buffer)) return stmt;
  const isOfWarp = isWarpWide(stmt);
  const idle = [...group.keys()].filter((axis) => !bound.has(axis) && !(isOfWarp && axis === laneAxis));
  return idle.reduce<Stmt>((guarded, axis) => ifThen(eq(variable(axis), constInt(0)), guarded), stmt);
}

const isWarpWide = ({ value }: Store): boolean => lanesOf(value) >= warpWideLanes;
