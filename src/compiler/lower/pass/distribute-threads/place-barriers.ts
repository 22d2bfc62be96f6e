// Threads wait for each other wherever one may read what another has stored, or overwrite what another has yet to read: a
// barrier goes before the first such statement. Loops come back to their first statements, so they are looked at twice.
//
//   P[threadIdx.x] = A[…]                 P[threadIdx.x] = A[…]
//   C[threadIdx.x] = P[31 - …]     →      barrier
//                                         C[threadIdx.x] = P[31 - …]
//
// Copies ahead, of a loop with stages, have their barriers already. A barrier never stands under a condition that threads may
// answer differently, nor in a loop that they may leave at different times: all loops have constant extents.

import { seq, sync } from "../../../ir/build.ts";
import { copiedAhead } from "../../../ir/copied-ahead.ts";
import type { For, LoopFunc, Stmt } from "../../../ir/loop-ir.ts";
import { gridAxisOf, groupAxisOf } from "../../../ir/thread-axes.ts";
import { updateFor } from "../../../ir/update.ts";
import { walkStmt } from "../../../ir/visit.ts";

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
  return seq(...parts.map((launch) => ofThread(launch, shared)));
}

function ofThread(stmt: Stmt, shared: ReadonlySet<string>): Stmt {
  if (stmt.kind === "for" && (gridAxisOf(stmt) || groupAxisOf(stmt))) {
    return updateFor(stmt, { body: ofThread(stmt.body, shared) });
  }
  return withBarriers(stmt, { accesses: none, shared }).stmt;
}

/** Accesses since the last barrier: buffers with the statements that store to them, and buffers that are read. */
interface Accesses {
  readonly stores: ReadonlyMap<string, ReadonlySet<Stmt>>;
  readonly loads: ReadonlySet<string>;
}

const none: Accesses = { stores: new Map(), loads: new Set() };

interface Before {
  readonly accesses: Accesses;
  readonly shared: ReadonlySet<string>;
}

interface After {
  readonly stmt: Stmt;
  readonly accesses: Accesses;
}

function withBarriers(stmt: Stmt, before: Before): After {
  switch (stmt.kind) {
    case "seq":
      return inSeq(stmt.body, before);
    case "for":
      return inLoop(stmt, before);
    case "sync":
      return { stmt, accesses: stmt.what === "barrier" ? none : before.accesses };
    default:
      return besides(stmt, before);
  }
}

function inSeq(stmts: readonly Stmt[], before: Before): After {
  let { accesses } = before;
  const body = stmts.map((stmt) => {
    const after = withBarriers(stmt, { ...before, accesses });
    accesses = after.accesses;
    return after.stmt;
  });
  return { stmt: { kind: "seq", body: body.flatMap((it) => (it.kind === "seq" ? it.body : [it])) }, accesses };
}

/** An iteration comes after all that was open before the loop, and after what the one before it has left open. */
function inLoop(loop: For, before: Before): After {
  const first = withBarriers(loop.body, before);
  const around = union(before.accesses, first.accesses);
  const again = withBarriers(loop.body, { ...before, accesses: around });
  return { stmt: updateFor(loop, { body: again.stmt }), accesses: union(before.accesses, again.accesses) };
}

/** A statement in which there is no place for a barrier. */
function besides(stmt: Stmt, { accesses, shared }: Before): After {
  const own = accessesIn(stmt, shared);
  if (!meet(accesses, own)) return { stmt, accesses: union(accesses, own) };
  return { stmt: seq(sync("barrier"), stmt), accesses: own };
}

function accessesIn(root: Stmt, shared: ReadonlySet<string>): Accesses {
  const stores = new Map<string, Set<Stmt>>();
  const loads = new Set<string>();
  walkStmt(
    root,
    (stmt) => {
      if (stmt.kind === "store" && shared.has(stmt.buffer)) {
        stores.set(stmt.buffer, (stores.get(stmt.buffer) ?? new Set()).add(stmt));
      }
    },
    (expr) => {
      if (expr.kind === "load" && shared.has(expr.buffer)) loads.add(expr.buffer);
    },
  );
  return { stores, loads };
}

/** A store that a loop comes back to stores other elements each time, or nobody would read the earlier ones. */
function meet(earlier: Accesses, later: Accesses): boolean {
  const isOverwritten = [...later.stores].some(([name, stmts]) => {
    const known = earlier.stores.get(name);
    return earlier.loads.has(name) || (known !== undefined && ![...known].every((it) => stmts.has(it)));
  });
  return isOverwritten || [...later.loads].some((name) => earlier.stores.has(name));
}

function union(a: Accesses, b: Accesses): Accesses {
  const stores = new Map(a.stores);
  for (const [name, stmts] of b.stores) stores.set(name, new Set([...(stores.get(name) ?? []), ...stmts]));
  return { stores, loads: new Set([...a.loads, ...b.loads]) };
}
