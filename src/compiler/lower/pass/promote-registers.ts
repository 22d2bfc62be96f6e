// Register buffers whose every index is constant → locals. A buffer for which that does not work out becomes workspace.
//
//   acc[ramp(0, 1, 8)] = 0                               acc_0 := 0
//   for k: acc[ramp(0, 1, 8)] = acc[…] + a*b       →     for k: acc_0 = acc_0 + a*b
//   C[ramp(0, 1, 8)] = acc[ramp(0, 1, 8)]                C[ramp(0, 1, 8)] = acc_0

import { assign, broadcast, constInt, constOf, define, lt, ramp, select } from "../../ir/build.ts";
import type { Buffer, Define, Expr, Load, LoopFunc, Stmt, Store } from "../../ir/loop-ir.ts";
import { seqOf } from "../../ir/simplify.ts";
import {
  childrenOf,
  mapChildren,
  mapExpr,
  mapOwnExprs,
  mapStmt,
  ownExprs,
  someExpr,
  walkStmt,
} from "../../ir/visit.ts";
import type { Pass } from "./pass.ts";
import { type FirstAccesses, firstAccesses, inOrder, startsAnew } from "./promote-registers/first-access.ts";
import { baseOf, mentionsBuffer, reads, type Slots, slotLocal, slotsOf } from "./promote-registers/slots.ts";

export const promoteRegisters: Pass = {
  name: "promote-registers",
  run: (func) => func.buffers.filter(({ scope }) => scope === "register").reduce(promote, func),
};

function promote(func: LoopFunc, buffer: Buffer): LoopFunc {
  if (!slotsOf(func.body, buffer)) return demote(func, buffer);
  const buffers = func.buffers.filter((each) => each !== buffer);
  return { ...func, buffers, body: promoteIn(func.body, { buffer, regions: 0 }) };
}

const demote = (func: LoopFunc, buffer: Buffer): LoopFunc => ({
  ...func,
  buffers: func.buffers.map((each) => (each === buffer ? { ...each, scope: "workspace" } : each)),
});

// ── where the locals live ───────────────────────────────────────────────────────────────────────────────────────────

/** Numbers the places where the buffer becomes locals. */
interface Promotion {
  readonly buffer: Buffer;
  regions: number;
}

/** As far inside as no value flows in from before: each copy that a cut loop left has locals of its own. */
function promoteIn(stmt: Stmt, promotion: Promotion): Stmt {
  const { name } = promotion.buffer;
  if (!mentionsBuffer(stmt, name)) return stmt;
  if (stmt.kind === "seq") return seqOf(groupsOf(stmt.body, name).flatMap((group) => promoteGroup(group, promotion)));
  const isOpen = !ownExprs(stmt).some((expr) => reads(expr, name)) && childrenOf(stmt).length > 0;
  if (!isOpen || !childrenOf(stmt).every((child) => startsAnew(firstAccesses(child, name)))) {
    return seqOf(withDefines([stmt], promotion));
  }
  return mapChildren(stmt, (child) => promoteIn(child, promotion));
}

function promoteGroup(group: readonly Stmt[], promotion: Promotion): readonly Stmt[] {
  const { name } = promotion.buffer;
  const users = group.filter((stmt) => mentionsBuffer(stmt, name));
  if (users.length !== 1) return users.length === 0 ? group : withDefines(group, promotion);
  return group.map((stmt) => (stmt === users[0] ? promoteIn(stmt, promotion) : stmt));
}

/** Cuts a sequence wherever what follows starts anew. */
function groupsOf(stmts: readonly Stmt[], buffer: string): readonly (readonly Stmt[])[] {
  const groups: Stmt[][] = [];
  let group: Stmt[] = [];
  let following: FirstAccesses = new Map();
  for (const stmt of stmts.toReversed()) {
    group.push(stmt);
    const own = firstAccesses(stmt, buffer);
    if (own.size === 0) continue;
    following = inOrder(own, following);
    if (!startsAnew(following)) continue;
    groups.push(group.reverse());
    group = [];
  }
  return [group.reverse(), ...groups.reverse()];
}

/** Each slot is defined by its first store if that stands in this sequence, else as 0 before the first use. */
function withDefines(stmts: readonly Stmt[], promotion: Promotion): readonly Stmt[] {
  const suffix = promotion.regions++ === 0 ? "" : `.${promotion.regions - 1}`;
  const slots = slotsOf(seqOf(stmts), promotion.buffer, suffix)!;
  const body: Stmt[] = [];
  const defined = new Set<number>();
  for (const child of stmts) {
    const fresh = basesIn(child, slots).filter((base) => !defined.has(base));
    for (const base of fresh) defined.add(base);
    body.push(...defining(child, fresh, slots));
  }
  return body;
}

function defining(child: Stmt, fresh: readonly number[], slots: Slots): readonly Stmt[] {
  const rewritten = rewrite(child, slots);
  const isFirstStore = rewritten.kind === "assign" && fresh.length === 1;
  // A store that leaves lanes alone, or adds to the slot, reads the local it would define.
  const readsItself =
    isFirstStore && someExpr(rewritten.value, (each) => each.kind === "local" && each.name === rewritten.name);
  if (isFirstStore && !readsItself) return [define(rewritten.name, rewritten.value)];
  return [...fresh.map((base) => zeroed(slots, base)), rewritten];
}

const zeroed = (slots: Slots, base: number): Define =>
  define(slotLocal(slots, base).name, broadcast(constOf(slots.buffer.dtype, 0), slots.lanes));

function basesIn(stmt: Stmt, { buffer, masks }: Slots): readonly number[] {
  const bases = new Set<number>();
  walkStmt(
    stmt,
    (each) => each.kind === "store" && each.buffer === buffer.name && bases.add(baseOf(each.indices)),
    (expr) => expr.kind === "load" && expr.buffer === buffer.name && bases.add(baseOf(expr.indices)),
  );
  return bases.size < 2 ? [...bases] : [...masks.keys()].filter((base) => bases.has(base));
}

// ── accesses ────────────────────────────────────────────────────────────────────────────────────────────────────────

const rewrite = (stmt: Stmt, slots: Slots): Stmt =>
  mapStmt(stmt, (each) => {
    const own = mapOwnExprs(each, (expr) => mapExpr(expr, (load) => (isOwn(load, slots) ? loadOf(load, slots) : load)));
    return own.kind === "store" && own.buffer === slots.buffer.name ? assignOf(own, slots) : own;
  });

const isOwn = (expr: Expr, slots: Slots): expr is Load => expr.kind === "load" && expr.buffer === slots.buffer.name;

const leading = (active: Expr, lanes: number): Expr => lt(ramp(constInt(0), 1, lanes), broadcast(active, lanes));

function loadOf({ indices, active }: Load, slots: Slots): Expr {
  const local = slotLocal(slots, baseOf(indices));
  if (!active) return local;
  return select(leading(active, slots.lanes), local, broadcast(constOf(local.dtype, 0), slots.lanes));
}

/** Lanes that no store ever writes may take any value, so one mask for all stores of a slot is none. */
function assignOf({ indices, value, active }: Store, slots: Slots): Stmt {
  const base = baseOf(indices);
  const local = slotLocal(slots, base);
  if (!active || slots.masks.get(base)!.size === 1) return assign(local.name, value);
  return assign(local.name, select(leading(active, slots.lanes), value, local));
}
