// A flat function → the program that a machine runs: launches, one after another. Iterations of an outermost parallel loop run beside
// each other, as calls of one function: threads of a CPU share them, and a GPU would have them as a grid. All else is run once.
//
//   a.layout[…] = a[…]          serial
//   parallel p: t[…] = …        grid p: its body is a function of `p`, and t a buffer of each thread's own
//               c[p, …] = t[…]

import type { Buffer, Expr, For, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { someExpr, varsIn, walkStmt } from "../ir/visit.ts";

/** A loop whose iterations run beside each other. */
export interface Grid {
  readonly kind: "grid";
  readonly loop: For;
  /** Name of the function that the loop's body becomes. */
  readonly name: string;
  /** Names of all buffers in the loop. */
  readonly buffers: ReadonlySet<string>;
}

/** Statements that one thread runs, once. */
export interface Serial {
  readonly kind: "serial";
  readonly body: Stmt;
  /** Names of all buffers in the statements. */
  readonly buffers: ReadonlySet<string>;
}

export type Launch = Grid | Serial;

export interface Program {
  readonly launches: readonly Launch[];
  readonly grids: readonly Grid[];
  /** Number of threads that share the grids; 1: there are none. */
  readonly threads: number;
  /** Names of the buffers of which each thread has a copy: what they hold is of one iteration of one grid. */
  readonly own: ReadonlySet<string>;
}

/** @param threads most threads that there are to share loops; 1: all loops are like any other */
export function programOf(func: LoopFunc, threads: number): Program {
  const launches = threads > 1 ? launchesOf(func) : [serial(func.body)];
  const grids = launches.filter((launch) => launch.kind === "grid");
  return { launches, grids, threads: grids.length > 0 ? threads : 1, own: ownBuffers(func.buffers, launches) };
}

const serial = (body: Stmt): Serial => ({ kind: "serial", body, buffers: buffersIn(body) });

/** Statements between two grids are one launch. A loop of a single iteration is like any other statement. */
function launchesOf({ name, body }: LoopFunc): readonly Launch[] {
  const launches: Launch[] = [];
  let [between, grids]: [Stmt[], number] = [[], 0];
  const endSerial = (): void => {
    if (between.length > 0) launches.push(serial({ kind: "seq", body: between }));
    between = [];
  };
  for (const stmt of body.kind === "seq" ? body.body : [body]) {
    if (stmt.kind !== "for" || stmt.mark !== "parallel" || stmt.extent <= 1 || !isClosed(stmt)) {
      between.push(stmt);
      continue;
    }
    endSerial();
    launches.push({ kind: "grid", loop: stmt, name: `${name}_part${grids++}`, buffers: buffersIn(stmt) });
  }
  endSerial();
  // A value that outlives its launch would have to go through memory.
  const areClosed = launches.every((launch) => launch.kind === "grid" || isClosed(launch.body));
  return grids > 0 && areClosed ? launches : [serial(body)];
}

/**
 * Iterations of a grid leave nothing to each other, so what all of them write at the same places is for themselves; what a later grid reads
 * first is not, and neither is what a serial launch names.
 */
function ownBuffers(buffers: readonly Buffer[], launches: readonly Launch[]): ReadonlySet<string> {
  const isOwn = ({ name, role }: Buffer): boolean => {
    const users = launches.filter((launch) => launch.buffers.has(name));
    const isOfThread = (launch: Launch): boolean => launch.kind === "grid" && isRewritten(name, launch.loop);
    return role === "local" && users.length > 0 && users.every(isOfThread);
  };
  return new Set(buffers.filter(isOwn).map(({ name }) => name));
}

function buffersIn(stmt: Stmt): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(
    stmt,
    (inner) => {
      if (inner.kind === "store" || inner.kind === "prefetch") names.add(inner.buffer);
    },
    (expr) => {
      if (expr.kind === "load") names.add(expr.buffer);
    },
  );
  return names;
}

/** Says whether a statement uses only values that it defines itself. A loop that uses others cannot become a function. */
function isClosed(whole: Stmt): boolean {
  const [defined, used] = [new Set<string>(), new Set<string>()];
  walkStmt(
    whole,
    (stmt) => {
      if (stmt.kind === "define") defined.add(stmt.name);
      if (stmt.kind === "assign") used.add(stmt.name);
    },
    (expr) => {
      if (expr.kind === "local") used.add(expr.name);
    },
  );
  return [...used].every((name) => defined.has(name));
}

/** Says whether each iteration of the loop stores to the buffer before it reads it, at places that do not depend on the iteration. */
function isRewritten(buffer: string, loop: For): boolean {
  let [isRead, isWrittenFirst, isSame] = [false, false, true];
  const isLoad = (expr: Expr): boolean => expr.kind === "load" && expr.buffer === buffer;
  walkStmt(
    loop.body,
    (stmt) => {
      if (stmt.kind !== "store" || stmt.buffer !== buffer) return;
      isWrittenFirst ||= !isRead && !someExpr(stmt.value, isLoad);
      if (stmt.indices.some((index) => varsIn(index).has(loop.name))) isSame = false;
    },
    (expr) => {
      if (isLoad(expr)) isRead = true;
    },
  );
  return isWrittenFirst && isSame;
}
