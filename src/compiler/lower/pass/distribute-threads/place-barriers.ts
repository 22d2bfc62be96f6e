// Threads wait for each other wherever one may read what another has stored, or overwrite what another has yet to read: a
// barrier goes before the first such statement. Loops come back to their first statements, so they are looked at twice.
//
//   P[threadIdx.x] = A[…]                 P[threadIdx.x] = A[…]
//   C[threadIdx.x] = P[31 - …]     →      barrier
//                                         C[threadIdx.x] = P[31 - …]
//
// Copies ahead, of a loop with stages, have their barriers already. A barrier never stands under a condition that threads may
// answer differently, nor in a loop that they may leave at different times: all loops have constant extents. Elements that are one
// thread's own make nobody wait.

import { accessedBuffers } from "../../../ir/accessed-buffers.ts";
import { seq, sync } from "../../../ir/build.ts";
import { copiedAhead } from "../../../ir/copied-ahead.ts";
import type { Expr, For, If, LoopFunc, Stmt } from "../../../ir/loop-ir.ts";
import { printExpr, printStmt } from "../../../ir/print.ts";
import { gridAxisOf, groupAxes, groupAxisOf } from "../../../ir/thread-axes.ts";
import { updateFor, updateIf } from "../../../ir/update.ts";
import { childrenOf, someExpr, walkOwnExprs } from "../../../ir/visit.ts";
import { DiagnosticError } from "../../../support/diagnostic.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { elementsOfThreads } from "./elements-of-threads.ts";

export const placeBarriers = (func: LoopFunc): LoopFunc => ({ ...func, body: launches(func.body, sharedOf(func)) });

/** Names of the buffers through which threads of a group may meet: their own memory, and scratch memory. */
function sharedOf({ buffers, body }: LoopFunc): ReadonlySet<string> {
  const ahead = copiedAhead(body);
  const meets = buffers.filter(
    ({ name, memory }) => memory !== "register" && memory !== "fragment" && !ahead.has(name),
  );
  return new Set(meets.map(({ name }) => name));
}

/** Launches follow each other, and each begins when the one before has ended. */
function launches(stmt: Stmt, shared: ReadonlySet<string>): Stmt {
  const parts = stmt.kind === "seq" ? stmt.body : [stmt];
  return seq(
    ...parts.map((launch) => {
      const passed = passedOn(launch, shared);
      const own = elementsOfThreads(launch, passed);
      const met = new Set([...passed].filter((name) => !own.accessed.has(name)));
      return ofThread(launch, { shared: met, storedApart: own.stored, known: new Map() });
    }),
  );
}

function ofThread(stmt: Stmt, buffers: Buffers): Stmt {
  if (stmt.kind === "for" && (gridAxisOf(stmt) || groupAxisOf(stmt))) {
    return updateFor(stmt, { body: ofThread(stmt.body, buffers) });
  }
  return withBarriers(stmt, { accesses: none, ...buffers }).stmt;
}

/**
 * Returns the names of the buffers that a launch stores to and loads from. Where it only stores, each element is stored
 * once, as a stage has no use for what is overwritten unread.
 */
function passedOn(launch: Stmt, shared: ReadonlySet<string>): ReadonlySet<string> {
  const { stored, loaded } = accessedBuffers(launch);
  return new Set([...shared].filter((name) => stored.has(name) && loaded.has(name)));
}

interface Buffers {
  /** Names of those in which threads meet. */
  readonly shared: ReadonlySet<string>;
  /** Names of those in which no two threads store to the same element. */
  readonly storedApart: ReadonlySet<string>;
  /** Accesses of statements that were looked at: loops are walked again for each loop around them. */
  readonly known: Map<Stmt, Inside>;
}

/** Accesses since the last barrier: buffers with the statements that store to them, and buffers that are read. */
interface Accesses {
  readonly stores: ReadonlyMap<string, ReadonlySet<Stmt>>;
  readonly loads: ReadonlySet<string>;
}

const none: Accesses = { stores: new Map(), loads: new Set() };

/** Accesses of a statement, and the barriers that it has already. */
interface Inside extends Accesses {
  readonly barriers: number;
}

interface Before extends Buffers {
  readonly accesses: Accesses;
}

interface After {
  readonly stmt: Stmt;
  readonly accesses: Accesses;
  /** Barriers in the statement. */
  readonly barriers: number;
}

function withBarriers(stmt: Stmt, before: Before): After {
  switch (stmt.kind) {
    case "seq":
      return inSeq(stmt.body, before);
    case "for":
      return isApart(stmt, before) ? unchanged(stmt, before) : inLoop(stmt, before);
    case "sync":
      return stmt.what === "barrier" ? { stmt, accesses: none, barriers: 1 } : unchanged(stmt, before);
    case "if":
      return meetInside(stmt, before) ? inChoice(stmt, before) : besides(stmt, before);
    default:
      return besides(stmt, before);
  }
}

const unchanged = (stmt: Stmt, { accesses }: Before): After => ({ stmt, accesses, barriers: 0 });

/** Says whether a statement neither meets other threads nor waits for them. */
function isApart(stmt: Stmt, buffers: Buffers): boolean {
  const { stores, loads, barriers } = accessesIn(stmt, buffers);
  return stores.size === 0 && loads.size === 0 && barriers === 0;
}

function inSeq(stmts: readonly Stmt[], before: Before): After {
  let { accesses } = before;
  let barriers = 0;
  const body = flatMap(stmts, (stmt) => {
    const after = withBarriers(stmt, { ...before, accesses });
    accesses = after.accesses;
    barriers += after.barriers;
    return after.stmt.kind === "seq" ? after.stmt.body : [after.stmt];
  });
  return { stmt: { kind: "seq", body }, accesses, barriers };
}

/** Says whether threads have to wait for each other on one side of a choice. */
function meetInside(stmt: If, before: Before): boolean {
  if (isApart(stmt, before)) return false;
  const sides = stmt.else ? [stmt.then, stmt.else] : [stmt.then];
  return sides.some((side) => withBarriers(side, { ...before, accesses: none }).barriers > 0);
}

/**
 * Both sides of a choice that all threads of a group make alike.
 *
 * @throws DiagnosticError `bind.divergent-barrier`
 */
function inChoice(stmt: If, before: Before): After {
  if (!isUniform(stmt.condition)) {
    throw new DiagnosticError({
      code: "bind.divergent-barrier",
      message: `threads of a group would have to wait for each other where only those with ${printExpr(stmt.condition)} come`,
      loc: null,
      hint: "bind loops of equal extents, or give each thread registers",
      detail: printStmt(stmt),
    });
  }
  const yes = withBarriers(stmt.then, before);
  const no = stmt.else && withBarriers(stmt.else, before);
  return {
    stmt: updateIf(stmt, { then: yes.stmt, else: no?.stmt ?? null }),
    accesses: union(yes.accesses, no?.accesses ?? before.accesses),
    barriers: yes.barriers + (no?.barriers ?? 0),
  };
}

const isUniform = (condition: Expr): boolean =>
  !someExpr(
    condition,
    (each) =>
      each.kind === "load" ||
      each.kind === "local" ||
      (each.kind === "var" && (groupAxes as readonly string[]).includes(each.name)),
  );

/**
 * An iteration comes after all that was open before the loop, and after what the one before it has left open. Where only the first of
 * these has to be waited for, it is before the loop.
 */
function inLoop(loop: For, before: Before): After {
  const own = accessesIn(loop.body, before);
  if (own.barriers === 0) {
    const alone = withBarriers(loop.body, { ...before, accesses: own });
    if (alone.barriers === 0) return besides(loop, before);
  }
  const first = withBarriers(loop.body, before);
  const around = union(before.accesses, first.accesses);
  const again = withBarriers(loop.body, { ...before, accesses: around });
  return {
    stmt: updateFor(loop, { body: again.stmt }),
    accesses: union(before.accesses, again.accesses),
    barriers: again.barriers,
  };
}

/** A statement in which there is no place for a barrier. */
function besides(stmt: Stmt, before: Before): After {
  const { accesses } = before;
  const own = accessesIn(stmt, before);
  if (!meet(accesses, own, before)) return { stmt, accesses: union(accesses, own), barriers: own.barriers };
  return { stmt: seq(sync("barrier"), stmt), accesses: own, barriers: own.barriers + 1 };
}

const nothing: Inside = { ...none, barriers: 0 };

function accessesIn(stmt: Stmt, buffers: Buffers): Inside {
  const before = buffers.known.get(stmt);
  if (before) return before;
  const inside = findAccesses(stmt, buffers);
  buffers.known.set(stmt, inside);
  return inside;
}

function findAccesses(stmt: Stmt, buffers: Buffers): Inside {
  const { shared } = buffers;
  const stores = new Map<string, Set<Stmt>>();
  const loads = new Set<string>();
  let barriers = stmt.kind === "sync" && stmt.what === "barrier" ? 1 : 0;
  const noteStores = (buffer: string, stmts: Iterable<Stmt>): void => {
    const known = stores.get(buffer) ?? new Set();
    for (const each of stmts) known.add(each);
    stores.set(buffer, known);
  };
  walkOwnExprs(stmt, (expr) => {
    if (expr.kind === "load" && shared.has(expr.buffer)) loads.add(expr.buffer);
  });
  if (stmt.kind === "store" && shared.has(stmt.buffer)) noteStores(stmt.buffer, [stmt]);
  for (const child of childrenOf(stmt)) {
    const inside = accessesIn(child, buffers);
    for (const [buffer, stmts] of inside.stores) noteStores(buffer, stmts);
    for (const buffer of inside.loads) loads.add(buffer);
    barriers += inside.barriers;
  }
  return stores.size === 0 && loads.size === 0 && barriers === 0 ? nothing : { stores, loads, barriers };
}

/** A store that a loop comes back to stores other elements each time, or nobody would read the earlier ones. */
function meet(earlier: Accesses, later: Accesses, { storedApart }: Buffers): boolean {
  const isOverwritten = [...later.stores].some(([name, stmts]) => {
    const known = earlier.stores.get(name);
    if (earlier.loads.has(name)) return true;
    return known !== undefined && !storedApart.has(name) && ![...known].every((it) => stmts.has(it));
  });
  return isOverwritten || [...later.loads].some((name) => earlier.stores.has(name));
}

function union(a: Accesses, b: Accesses): Accesses {
  if (b.stores.size === 0 && [...b.loads].every((name) => a.loads.has(name))) return a;
  const stores = new Map(a.stores);
  for (const [name, stmts] of b.stores) stores.set(name, new Set([...(stores.get(name) ?? []), ...stmts]));
  return { stores, loads: new Set([...a.loads, ...b.loads]) };
}
