// Loops that threads share: the body of each is a function of its own, which is given the number of its iteration, and that of
// the thread. A buffer in which every iteration writes the same places is the thread's own: each has a copy.

import type { Buffer, Expr, For, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { someExpr, varsIn, walkStmt } from "../ir/visit.ts";

/** A loop that is shared. */
export interface Part {
  readonly loop: For;
  /** Name of the function that the loop's body becomes. */
  readonly name: string;
  /** Names of all buffers in the loop. */
  readonly buffers: ReadonlySet<string>;
}

/** Loops that threads share: parallel ones, which stand outside of all others. One of a single iteration is like any other loop. */
export function partsOf({ name, body }: LoopFunc): readonly Part[] {
  const loops = statementsOf(body).filter(
    (stmt): stmt is For => stmt.kind === "for" && stmt.mark === "parallel" && stmt.extent > 1 && isClosed(stmt),
  );
  return loops.map((loop, at) => ({
    loop,
    name: `${name}_part${at}`,
    buffers: buffersIn([loop]),
  }));
}

/**
 * Buffers of which each thread has a copy: what they hold is of one iteration of one loop. Iterations of a parallel loop leave nothing
 * to each other, so what all of them write at the same places is for themselves; what a later loop reads first is not.
 */
export function ownBuffers(func: LoopFunc, parts: readonly Part[]): ReadonlySet<string> {
  const outside = buffersOutside(func, parts);
  const isOwn = ({ name, role }: Buffer): boolean => {
    if (role !== "local" || outside.has(name)) return false;
    const named = parts.filter(({ buffers }) => buffers.has(name));
    return named.length > 0 && named.every(({ loop }) => isRewritten(name, loop));
  };
  return new Set(func.buffers.filter(isOwn).map(({ name }) => name));
}

/** Buffers that are named outside of the shared loops. */
export const buffersOutside = ({ body }: LoopFunc, parts: readonly Part[]): ReadonlySet<string> =>
  buffersIn(statementsOf(body).filter((stmt) => parts.every(({ loop }) => loop !== stmt)));

const statementsOf = (body: Stmt): readonly Stmt[] => (body.kind === "seq" ? body.body : [body]);

function buffersIn(stmts: readonly Stmt[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const stmt of stmts)
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

/** Says whether a loop uses only values that it defines itself. A loop that uses others cannot become a function. */
function isClosed(loop: For): boolean {
  const [defined, used] = [new Set<string>(), new Set<string>()];
  walkStmt(
    loop,
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
