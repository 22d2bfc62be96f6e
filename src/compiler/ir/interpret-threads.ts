// Threads of a group in the interpreter. Between two barriers one thread after the other runs, the last one first, so that a
// thread which needs what an earlier one has yet to store is found out. At a barrier all of them have to come by, and where batches of boxes or
// their slots are waited for.
//
// The first lane of a warp computes for all of them what they compute together.

import { invariant } from "../support/invariant.ts";
import { cellOf, compileScalar, decisive, shuffledName } from "./interpret-expr.ts";
import { createMemory, type Memory } from "./interpret-memory.ts";
import type { Cell, Scope } from "./interpret-scope.ts";
import { beginGroup, scopeAt, scopesOfThreads, watchLaunch, watchSync } from "./interpret-watch.ts";
import type { Define, For, If, Local, Seq, Shuffle, Stmt, Sync } from "./loop-ir.ts";
import { groupAxes, isWarpWide, laneAxis } from "./thread-axes.ts";
import { walkStmt } from "./visit.ts";

type Action = () => void;
type Compile = (stmt: Stmt, scope: Scope) => Action;

/** Says whether a loop runs over threads that each run all of its body: it has the name of their coordinate. */
export const isOfThreads = ({ name, mark }: For): boolean => name === mark && mark.startsWith("threadIdx.");

interface Thread {
  readonly scope: Scope;
  /** Whether it computes what its warp computes together. */
  readonly leads: boolean;
}

/** @param compile compiles a statement that a thread runs on its own */
export function compileThreads(loop: For, scope: Scope, compile: Compile): Action {
  if (scope.watch) return compileWatched(loop, scope, compile);
  const [body, threads] = threadsOf(loop, [{ scope, leads: true }]);
  return compileTogether(body, threads.map(withRegisters), compile);
}

/** The threads of a group in a run that is watched. */
function compileWatched(loop: For, scope: Scope, compile: Compile): Action {
  const { inside, around } = watchLaunch(scope);
  const [body, threads] = threadsOf(loop, [{ scope: inside, leads: true }]);
  const axes = groupAxes.filter((name) => threads[0]!.scope.cells.has(name));
  const scopes = scopesOfThreads(
    threads.map((thread) => thread.scope),
    axes,
  );
  const named = threads.map(({ leads }, at) => withRegisters({ scope: scopes[at]!, leads }));
  const run = compileTogether(body, named, compile);
  return around(() => {
    beginGroup(inside);
    run();
  });
}

/** The thread with registers of its own. */
function withRegisters({ scope, leads }: Thread): Thread {
  const own = [...scope.memories].map(([name, memory]): [string, Memory] => [
    name,
    memory.buffer.memory === "register" ? createMemory(memory.buffer, null) : memory,
  ]);
  return { scope: { ...scope, memories: new Map(own) }, leads };
}

function threadsOf(stmt: Stmt, threads: readonly Thread[]): readonly [Stmt, readonly Thread[]] {
  if (stmt.kind !== "for" || !isOfThreads(stmt)) return [stmt, threads];
  const { name, extent } = stmt;
  const more = threads.flatMap(({ scope, leads }) =>
    Array.from({ length: extent }, (_, at) => ({
      scope: withCell(scope, name, { value: at }),
      leads: leads && (name !== laneAxis || at === 0),
    })),
  );
  return threadsOf(stmt.body, more);
}

const withCell = ({ cells, ...rest }: Scope, name: string, cell: Cell): Scope => ({
  ...rest,
  cells: new Map(cells).set(name, cell),
});

/** Says whether threads hand each other what they have in a local. */
const isShuffle = (stmt: Stmt): stmt is Define & { readonly value: Shuffle } =>
  stmt.kind === "define" && stmt.value.kind === "shuffle";

const meetings: ReadonlySet<Sync["what"]> = new Set(["barrier", "await-fill", "await-release"]);

function meets(stmt: Stmt): boolean {
  let found = false;
  walkStmt(stmt, (each) => {
    found ||= (each.kind === "sync" && meetings.has(each.what)) || isShuffle(each);
  });
  return found;
}

function compileTogether(stmt: Stmt, threads: readonly Thread[], compile: Compile): Action {
  if (!meets(stmt)) return compileApart([stmt], threads, compile);
  switch (stmt.kind) {
    case "for":
      return compileLoop(stmt, threads, compile);
    case "if":
      return compileChoice(stmt, threads, compile);
    case "seq":
      return compileParts(stmt, threads, compile);
    case "sync":
      return stmt.what === "barrier"
        ? (watchSync(stmt, threads[0]!.scope) ?? (() => {}))
        : compileApart([stmt], threads, compile);
    default:
      return () => {};
  }
}

/** Statements without a barrier: each thread runs all of them before the next thread begins. */
function compileApart(stmts: readonly Stmt[], threads: readonly Thread[], compile: Compile): Action {
  const actions = threads.flatMap(({ scope, leads }) => {
    const own = leads ? stmts : stmts.map(withoutTiles);
    return own.length === 0 ? [] : [compile({ kind: "seq", body: own }, scope)];
  });
  return () => {
    for (const action of actions.toReversed()) action();
  };
}

/** Leaves out the tiles, for a thread that leads no warp. */
function withoutTiles(stmt: Stmt): Stmt {
  switch (stmt.kind) {
    case "store":
    case "define":
    case "assign":
      return isWarpWide(stmt.value) ? { kind: "seq", body: [] } : stmt;
    case "seq":
      return { kind: "seq", body: stmt.body.map(withoutTiles) };
    case "for":
      return { ...stmt, body: withoutTiles(stmt.body) };
    case "if":
      return { ...stmt, then: withoutTiles(stmt.then), else: stmt.else && withoutTiles(stmt.else) };
    default:
      return stmt;
  }
}

/** A sequence with barriers. Its locals are known to all statements behind them, which threads run in several pieces. */
function compileParts({ body }: Seq, outer: readonly Thread[], compile: Compile): Action {
  const actions: Action[] = [];
  let [threads, apart]: [readonly Thread[], Stmt[]] = [outer, []];
  const endPart = (): void => {
    if (apart.length > 0) actions.push(compileApart(apart, threads, compile));
    apart = [];
  };
  for (const stmt of body) {
    if (stmt.kind === "define") {
      endPart();
      if (isShuffle(stmt)) threads = withPartners(threads, stmt.value);
      threads = threads.map(({ scope, leads }) => ({ scope: withCell(scope, stmt.name, { value: null }), leads }));
      apart.push({ kind: "assign", name: stmt.name, value: stmt.value });
    } else if (meets(stmt)) {
      endPart();
      actions.push(compileTogether(stmt, threads, compile));
    } else apart.push(stmt);
  }
  endPart();
  return () => {
    for (const action of actions) action();
  };
}

/** The threads, each of which knows the value of the one that it shuffles with. */
function withPartners(threads: readonly Thread[], { operand, mask }: Shuffle): readonly Thread[] {
  const name = shuffledName(operand, mask);
  return threads.map(({ scope, leads }, at) => ({
    // Along x neighbours come one after another.
    scope: withCell(scope, name, cellOf(threads[at ^ mask]!.scope, (operand as Local).name)),
    leads,
  }));
}

function compileLoop({ name, extent, body }: For, threads: readonly Thread[], compile: Compile): Action {
  const cells = threads.map((): Cell => ({ value: 0 }));
  const inner = threads.map(({ scope, leads }, at) => ({ scope: withCell(scope, name, cells[at]!), leads }));
  const run = compileTogether(body, inner, compile);
  return () => {
    for (let step = 0; step < extent; step++) {
      for (const cell of cells) cell.value = step;
      run();
    }
  };
}

function compileChoice(stmt: If, threads: readonly Thread[], compile: Compile): Action {
  const conditions = threads.map(({ scope }) => compileScalar(stmt.condition, scopeAt(scope, stmt)));
  const yes = compileTogether(stmt.then, threads, compile);
  const no = stmt.else && compileTogether(stmt.else, threads, compile);
  return () => {
    const answers = new Set(conditions.map((condition) => decisive(condition(), "a condition") !== 0));
    invariant(answers.size === 1, "threads come to a barrier by different ways");
    if (answers.has(true)) yes();
    else no?.();
  };
}
