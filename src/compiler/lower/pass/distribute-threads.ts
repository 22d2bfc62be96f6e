// Loops over threads → one function that every thread runs. Loops over groups come to the outside, loops over threads right
// below them, under the names of their coordinates; what stood beside such loops is done by all threads, or by the first one
// where it stores. Registers become each thread's own, and barriers are placed where threads meet.
//
//   for i in 0..4 (blockIdx.x)                  for blockIdx.x in 0..4
//     for t in 0..32 (threadIdx.x): P[t] = …      for threadIdx.x in 0..32
//     for u in 0..16 (threadIdx.x): C[u] = …        P[threadIdx.x] = …
//                                                   if (threadIdx.x < 16) C[threadIdx.x] = …
//
// Each nest of groups at the top of a function is a launch. Statements beside them are run by one thread (`codegen/launch-bodies.ts`).

import { localBuffer } from "../../ir/buffer.ts";
import { constInt, eq, floorDiv, forLoop, ifThen, lt, mod, seq, variable } from "../../ir/build.ts";
import type { Expr, For, LoopFunc, Stmt, Store, ThreadAxis } from "../../ir/loop-ir.ts";
import {
  gridAxes,
  gridAxisOf,
  groupAxes,
  groupAxisOf,
  isWarpWide,
  laneAxis,
  lanesThatHold,
} from "../../ir/thread-axes.ts";
import { lanesOf, mapChildren, mapOwnExprs, mapStmt, substitute, walkStmt } from "../../ir/visit.ts";
import { shuffleLanesOf } from "../../target/shuffles.ts";
import { checkLeft, checkStores, checkTiles } from "./distribute-threads/check-threads.ts";
import { ownRegisters } from "./distribute-threads/own-registers.ts";
import { placeBarriers } from "./distribute-threads/place-barriers.ts";
import { byShuffles, shuffledLanes, shuffledSum } from "./distribute-threads/shuffle-sums.ts";
import type { Pass } from "./pass.ts";

export const distributeThreads: Pass = {
  name: "distribute-threads",
  run(func, { target }) {
    checkLeft(func);
    checkTiles(func);
    return placeBarriers(distributed(func, shuffleLanesOf(target)));
  },
};

/** Distributes anew where registers turn out to be memory of the group: what all threads would do there, one has to do. */
function distributed(func: LoopFunc, most: number): LoopFunc {
  const launches = func.body.kind === "seq" ? func.body.body : [func.body];
  const shuffles = { most, sums: 0 };
  const threads = { ...func, body: seq(...launches.map((launch) => distribute(launch, func, shuffles))) };
  const own = ownRegisters(threads);
  const buffers = func.buffers.map((buffer, at) =>
    own.buffers[at]!.memory === buffer.memory ? buffer : localBuffer(buffer, "group"),
  );
  const moved = new Map(buffers.flatMap((buffer, at) => (buffer === func.buffers[at] ? [] : [[buffer.name, buffer]])));
  if (moved.size === 0) return own;
  checkStores(func.body, moved);
  return distributed({ ...func, buffers }, most);
}

/** Number of threads along each coordinate that a launch has. */
type Extents = ReadonlyMap<ThreadAxis, number>;

function distribute(launch: Stmt, func: LoopFunc, shuffles: Shuffles): Stmt {
  const grid = new Map<ThreadAxis, number>();
  const coordinates = new Map<string, Expr>();
  const body = withoutGrid(launch, grid, coordinates);
  const group = new Map<ThreadAxis, number>();
  walkStmt(body, (stmt) => {
    const axis = stmt.kind === "for" ? groupAxisOf(stmt) : null;
    if (axis && stmt.kind === "for") group.set(axis, Math.max(group.get(axis) ?? 1, stmt.extent));
  });
  // Lanes that only multiply tiles need no loop.
  const lanes = group.has(laneAxis) ? null : lanesOfProducts(body);
  if (lanes !== null) group.set(laneAxis, lanes);
  const stores = new Set(func.buffers.filter(({ memory }) => memory !== "register").map(({ name }) => name));
  const threads = threadBody(body, { group, bound: new Set(), coordinates, stores, lanes: 0, shuffles });
  return around(gridAxes, grid, around(groupAxes, group, threads));
}

/** Number of lanes that compute products of tiles together; null: there are none. */
function lanesOfProducts(body: Stmt): number | null {
  let lanes: number | null = null;
  walkStmt(body, (stmt) => {
    const isProduct = stmt.kind === "store" && stmt.value.kind === "intrinsic" && isWarpWide(stmt.value);
    if (isProduct) lanes = lanesThatHold(lanesOf(stmt.value));
  });
  return lanes;
}

/** The loops of a launch, all of them on the outside; one thread is a launch, too. */
function around(axes: readonly ThreadAxis[], extents: Extents, body: Stmt): Stmt {
  return axes.reduceRight((inner, axis) => {
    const extent = extents.get(axis);
    return extent === undefined ? inner : forLoop(axis, extent, inner, axis);
  }, body);
}

/** Takes the loops over groups off a launch, and notes their extents, and their coordinates in the place of their variables. */
function withoutGrid(stmt: Stmt, grid: Map<ThreadAxis, number>, coordinates: Map<string, Expr>): Stmt {
  const axis = stmt.kind === "for" ? gridAxisOf(stmt) : null;
  if (stmt.kind !== "for" || !axis) return stmt;
  grid.set(axis, stmt.extent);
  coordinates.set(stmt.name, variable(axis));
  return withoutGrid(stmt.body, grid, coordinates);
}

interface Threads {
  readonly group: Extents;
  /** Coordinates that loops around the statement run over. */
  readonly bound: ReadonlySet<ThreadAxis>;
  /** Coordinates by the names of those loops. */
  readonly coordinates: ReadonlyMap<string, Expr>;
  /** Names of the buffers that threads share. */
  readonly stores: ReadonlySet<string>;
  /** Neighbours that do the same together, along x; 0: each thread is on its own. */
  readonly lanes: number;
  readonly shuffles: Shuffles;
}

interface Shuffles {
  /** Most threads that the machine lets hand each other values; 0: none. */
  readonly most: number;
  /** Sums of the function so far, which are numbered. */
  sums: number;
}

function threadBody(stmt: Stmt, threads: Threads): Stmt {
  const axis = stmt.kind === "for" ? groupAxisOf(stmt) : null;
  if (stmt.kind === "for" && axis) return ofCoordinate(stmt, axis, threads);
  const sum = stmt.kind === "for" ? sumOfNeighbours(stmt, threads) : null;
  if (sum) return sum;
  const own = mapOwnExprs(stmt, (expr) => substitute(expr, threads.coordinates));
  if (own.kind === "store") return byOneThread(own, threads);
  const inside = own.kind === "for" ? hiding(own.name, threads) : threads;
  return mapChildren(own, (child) => threadBody(child, inside));
}

/** Runs the body of a loop over threads by its threads, or by as many neighbours for each of its iterations as add up something there. */
function ofCoordinate({ name, extent, body }: For, axis: ThreadAxis, threads: Threads): Stmt {
  const most = threads.group.get(axis)!;
  const shuffled = axis === laneAxis ? shuffledLanes(body) : 0;
  const isShared = shuffled > 0 && shuffled <= threads.shuffles.most && extent * shuffled === most;
  const own = isShared ? floorDiv(variable(axis), constInt(shuffled)) : variable(axis);
  const bound = new Set(threads.bound).add(axis);
  const coordinates = new Map(threads.coordinates).set(name, own);
  const lanes = axis === laneAxis ? (isShared ? shuffled : 0) : threads.lanes;
  const inside = threadBody(body, { ...threads, bound, coordinates, lanes });
  return !isShared && extent < most ? ifThen(lt(variable(axis), constInt(extent)), inside) : inside;
}

/** The sum that a loop is, by shuffles; null: it is none, or not of the neighbours that the threads of the group are. */
function sumOfNeighbours(loop: For, threads: Threads): Stmt | null {
  const { group, bound, lanes, shuffles } = threads;
  const sum = shuffledSum(loop);
  const together = bound.has(laneAxis) ? lanes : group.get(laneAxis);
  if (!sum || together !== loop.extent || loop.extent > shuffles.most) return null;
  const x = variable(laneAxis);
  const own = bound.has(laneAxis) ? mod(x, constInt(loop.extent)) : x;
  const coordinates = new Map(threads.coordinates).set(loop.name, own);
  const stem = `${sum.stored.buffer}.${shuffles.sums++}`;
  const stmts = byShuffles(sum, loop.extent, coordinates, stem);
  return mapStmt(stmts, (stmt) => (stmt.kind === "store" ? byOneThread(stmt, threads) : stmt));
}

/** A loop of each thread hides one around it that has its name. */
function hiding(name: string, threads: Threads): Threads {
  if (!threads.coordinates.has(name)) return threads;
  const coordinates = new Map(threads.coordinates);
  coordinates.delete(name);
  return { ...threads, coordinates };
}

/** A store to shared memory that not all coordinates run over is done by the first thread along the others, that of neighbours by the first of them. */
function byOneThread(stmt: Store, { group, bound, stores, lanes }: Threads): Stmt {
  if (!stores.has(stmt.buffer)) return stmt;
  const isOfWarp = isWarpWide(stmt.value);
  const idle = [...group.keys()].filter((axis) => !bound.has(axis) && !(isOfWarp && axis === laneAxis));
  const first = [
    ...idle.map((axis) => variable(axis)),
    ...(lanes > 0 ? [mod(variable(laneAxis), constInt(lanes))] : []),
  ];
  return first.reduce<Stmt>((guarded, place) => ifThen(eq(place, constInt(0)), guarded), stmt);
}
