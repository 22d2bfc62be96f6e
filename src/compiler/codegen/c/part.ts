// Loops that threads share: the body of each is a function of its own, which is given the number of its iteration, and that of
// the thread. A buffer in which every iteration writes the same places is the thread's own: each has a copy.

import type { For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { varsIn, walkStmt } from "../../ir/visit.ts";

/** A loop that is shared. */
export interface Part {
  readonly loop: For;
  /** Of the function that its body becomes. */
  readonly name: string;
  /** All buffers that it names, and those of them that are a thread's own. */
  readonly buffers: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
}

/** A parallel loop stands outside of all others. That of one iteration is like any other. */
export function partsOf({ name, body }: LoopFunc): readonly Part[] {
  const loops = statementsOf(body).filter(
    (stmt): stmt is For => stmt.kind === "for" && stmt.mark === "parallel" && stmt.extent > 1 && isClosed(stmt),
  );
  return loops.map((loop, at) => ({
    loop,
    name: `${name}_part${at}`,
    buffers: buffersIn([loop]),
    own: rewrittenIn(loop),
  }));
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

/** A loop that uses a value from outside of it stays in its function. */
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

/** Iterations of a parallel loop leave nothing to each other, so what they write at the same places is for themselves. */
function rewrittenIn(loop: For): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(loop.body, (stmt) => {
    if (stmt.kind === "store" && !stmt.indices.some((index) => varsIn(index).has(loop.name))) names.add(stmt.buffer);
  });
  return names;
}
