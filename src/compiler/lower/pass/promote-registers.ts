// Register buffers whose every index is constant → locals. A buffer for which that does not work out becomes workspace.
//
//   acc[ramp(0, 1, 8)] = 0                               acc_0 := 0
//   for k: acc[ramp(0, 1, 8)] = acc[…] + a*b       →     for k: acc_0 = acc_0 + a*b
//   C[ramp(0, 1, 8)] = acc[ramp(0, 1, 8)]                C[ramp(0, 1, 8)] = acc_0

import { assign, broadcast, constInt, constOf, define, lt, ramp, select } from "../../ir/build.ts";
import type { Buffer, Define, Expr, Load, LoopFunc, Stmt, Store } from "../../ir/loop-ir.ts";
import { seqOf } from "../../ir/simplify.ts";
import { mapChildren, mapExpr, mapOwnExprs, mapStmt, ownExprs } from "../../ir/visit.ts";
import type { Pass } from "./pass.ts";
import { freshSlots } from "./promote-registers/first-access.ts";
import {
  baseOf,
  childrenOf,
  mentionsBuffer,
  reads,
  type Slots,
  slotLocal,
  slotsOf,
} from "./promote-registers/slots.ts";

export const promoteRegisters: Pass = {
  name: "promote-registers",
  run: (func) => func.buffers.filter(({ scope }) => scope === "register").reduce(promote, func),
};

function promote(func: LoopFunc, buffer: Buffer): LoopFunc {
  const slots = slotsOf(func.body, buffer);
  if (!slots) return demote(func, buffer);
  const buffers = func.buffers.filter((each) => each !== buffer);
  const inner = innermost(func.body, buffer.name);
  const startsAnew = freshSlots(inner, slots).size === slots.masks.size;
  const body = startsAnew ? rewriteInnermost(func.body, slots) : withDefines(func.body, slots);
  return { ...func, buffers, body };
}

const demote = (func: LoopFunc, buffer: Buffer): LoopFunc => ({
  ...func,
  buffers: func.buffers.map((each) => (each === buffer ? { ...each, scope: "workspace" } : each)),
});

// ── where the locals live ───────────────────────────────────────────────────────────────────────────────────────────

/** The child that alone has accesses, if `stmt` itself has none. */
function onlyChild(stmt: Stmt, buffer: string): Stmt | null {
  if (ownExprs(stmt).some((expr) => reads(expr, buffer))) return null;
  const children = childrenOf(stmt).filter((child) => mentionsBuffer(child, buffer));
  return children.length === 1 ? children[0]! : null;
}

/** The smallest statement that holds all accesses. */
function innermost(stmt: Stmt, buffer: string): Stmt {
  const child = onlyChild(stmt, buffer);
  return child ? innermost(child, buffer) : stmt;
}

function rewriteInnermost(stmt: Stmt, slots: Slots): Stmt {
  const child = onlyChild(stmt, slots.buffer.name);
  if (!child) return withDefines(stmt, slots);
  return mapChildren(stmt, (each) => (each === child ? rewriteInnermost(each, slots) : each));
}

/** Each slot is defined by its first store if that stands in this sequence, else as 0 before the first use. */
function withDefines(stmt: Stmt, slots: Slots): Stmt {
  const body: Stmt[] = [];
  const defined = new Set<number>();
  for (const child of stmt.kind === "seq" ? stmt.body : [stmt]) {
    const fresh = basesIn(child, slots).filter((base) => !defined.has(base));
    for (const base of fresh) defined.add(base);
    const rewritten = rewrite(child, slots);
    const starts = fresh.length === 1 && child.kind === "store" && !reads(child.value, slots.buffer.name);
    if (starts && child.buffer === slots.buffer.name && rewritten.kind === "assign") {
      body.push(define(rewritten.name, rewritten.value));
    } else body.push(...fresh.map((base) => zeroed(slots, base)), rewritten);
  }
  return seqOf(body);
}

const zeroed = (slots: Slots, base: number): Define =>
  define(slotLocal(slots, base).name, broadcast(constOf(slots.buffer.dtype, 0), slots.lanes));

function basesIn(stmt: Stmt, { buffer, masks }: Slots): readonly number[] {
  if (!mentionsBuffer(stmt, buffer.name)) return [];
  const bases = new Set<number>();
  mapStmt(stmt, (each) => {
    if (each.kind === "store" && each.buffer === buffer.name) bases.add(baseOf(each.indices));
    for (const expr of ownExprs(each)) mapExpr(expr, (load) => noteLoad(load, buffer.name, bases));
    return each;
  });
  return [...masks.keys()].filter((base) => bases.has(base));
}

function noteLoad(expr: Expr, buffer: string, bases: Set<number>): Expr {
  if (expr.kind === "load" && expr.buffer === buffer) bases.add(baseOf(expr.indices));
  return expr;
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
