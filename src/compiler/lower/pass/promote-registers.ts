// Buffers in registers whose every index is constant → locals, fragments among them. Where that does not work out the buffer
// becomes workspace.
//
//   acc[ramp(0, 1, 8)] = 0                               acc_0 := 0
//   for k: acc[ramp(0, 1, 8)] = acc[…] + a*b       →     for k: acc_0 = acc_0 + a*b
//   C[ramp(0, 1, 8)] = acc[ramp(0, 1, 8)]                C[ramp(0, 1, 8)] = acc_0
//
// A tile of 2×2 sums that is one vector is set and stored by its rows, each a part of that vector.

import { partOf, withPart } from "../../intrinsic/vector-part.ts";
import { localBuffer } from "../../ir/buffer.ts";
import { assign, broadcast, constInt, constOf, define, lanesFrom, lt, ramp, select } from "../../ir/build.ts";
import type { Buffer, Define, Expr, Load, LoopFunc, Stmt, Store } from "../../ir/loop-ir.ts";
import { seqOf } from "../../ir/simplify.ts";
import { isThreadLoop } from "../../ir/thread-axes.ts";
import { fragmentProblems } from "../../ir/verify-fragments.ts";
import { childrenOf, mapChildren, mapExpr, mapOwnExprs, mapStmt, ownExprs, someExpr } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { gcd } from "../../support/integer-math.ts";
import { vectorBytesOf } from "../../target/target.ts";
import type { Pass } from "./pass.ts";
import {
  type FirstAccesses,
  firstAccesses,
  oneAfterOther,
  startsAnew,
  type Units,
} from "./promote-registers/first-access.ts";
import {
  partIn,
  placeOf,
  placesIn,
  type RegisterUse,
  reads,
  type Slot,
  type Slots,
  slotAt,
  slotLocal,
  slotOf,
  slotsOf,
} from "./promote-registers/slots.ts";

export const promoteRegisters: Pass = {
  name: "promote-registers",
  run: (func, { target }) => promoteAll(func, { vectorBytes: vectorBytesOf(target), joinsElements: false }),
};

export function promoteAll(func: LoopFunc, use: RegisterUse): LoopFunc {
  const held = func.buffers.filter(({ memory }) => memory === "register" || memory === "fragment");
  const promoteOne = held.some(({ memory }) => memory === "fragment") ? promoteBesideFragments : promote;
  return held.reduce((result, buffer) => promoteOne(result, buffer, use), func);
}

/** Promotes a buffer, unless that has something compute with a fragment, or keeps one in a register: memory does both. */
function promoteBesideFragments(func: LoopFunc, buffer: Buffer, use: RegisterUse): LoopFunc {
  const promoted = promote(func, buffer, use);
  return fragmentProblems(promoted).length === 0 ? promoted : demote(func, buffer);
}

function promote(func: LoopFunc, buffer: Buffer, use: RegisterUse): LoopFunc {
  const places = placesIn(func.body, buffer.name);
  if (!places) return demote(func, buffer);
  const size = places.reduce((divisor, { base, lanes }) => gcd(gcd(base, lanes), divisor), 0);
  const promotion: Promotion = {
    buffer,
    units: { name: buffer.name, size, known: new Map() },
    use,
    regions: 0,
    failed: false,
  };
  const body = promoteIn(func.body, promotion);
  if (promotion.failed) return demote({ ...func, body }, buffer);
  return { ...func, buffers: func.buffers.filter((each) => each !== buffer), body };
}

const demote = (func: LoopFunc, buffer: Buffer): LoopFunc => ({
  ...func,
  buffers: func.buffers.map((each) => (each === buffer ? localBuffer(each) : each)),
});

// ── where the locals live ───────────────────────────────────────────────────────────────────────────────────────────

interface Promotion {
  readonly buffer: Buffer;
  readonly units: Units;
  readonly use: RegisterUse;
  /** Number of places so far where the buffer becomes locals: it tells their names apart. */
  regions: number;
  /** Whether the buffer has to stay memory in some place. */
  failed: boolean;
}

/** Defines the locals as far inside as no value flows in from before: each copy that a cut loop left has locals of its own. */
function promoteIn(stmt: Stmt, promotion: Promotion): Stmt {
  const { name } = promotion.buffer;
  if (firstAccesses(stmt, promotion.units).size === 0) return stmt;
  if (stmt.kind === "seq")
    return seqOf(flatMap(groupsOf(stmt.body, promotion), (group) => promoteGroup(group, promotion)));
  const isOpen = !ownExprs(stmt).some((expr) => reads(expr, name)) && childrenOf(stmt).length > 0;
  if (stmt.kind === "for" && isThreadLoop(stmt)) return mapChildren(stmt, (child) => promoteIn(child, promotion));
  if (!isOpen || !childrenOf(stmt).every((child) => startsAnew(firstAccesses(child, promotion.units)))) {
    return seqOf(withDefines([stmt], promotion));
  }
  return mapChildren(stmt, (child) => promoteIn(child, promotion));
}

function promoteGroup(group: readonly Stmt[], promotion: Promotion): readonly Stmt[] {
  const users = group.filter((stmt) => firstAccesses(stmt, promotion.units).size > 0);
  if (users.length !== 1) return users.length === 0 ? group : withDefines(group, promotion);
  return group.map((stmt) => (stmt === users[0] ? promoteIn(stmt, promotion) : stmt));
}

/** Cuts a sequence wherever what follows starts anew. */
function groupsOf(stmts: readonly Stmt[], { units }: Promotion): readonly (readonly Stmt[])[] {
  const groups: Stmt[][] = [];
  let group: Stmt[] = [];
  let following: FirstAccesses = new Map();
  for (const stmt of stmts.toReversed()) {
    group.push(stmt);
    const own = firstAccesses(stmt, units);
    if (own.size === 0) continue;
    following = oneAfterOther(own, following);
    if (!startsAnew(following)) continue;
    groups.push(group.reverse());
    group = [];
  }
  return [group.reverse(), ...groups.reverse()];
}

/** Defines each slot by its first store if that stands in this sequence, else as 0 before the first use. */
function withDefines(stmts: readonly Stmt[], promotion: Promotion): readonly Stmt[] {
  const suffix = promotion.regions === 0 ? "" : `.${promotion.regions}`;
  const slots = slotsOf(seqOf(stmts), promotion.buffer, suffix, promotion.use);
  if (!slots) {
    promotion.failed = true;
    return stmts;
  }
  promotion.regions++;
  const defined = new Set<Slot>();
  return flatMap(stmts, (child) => {
    const fresh = slotsIn(child, slots, promotion.units).filter((slot) => !defined.has(slot));
    for (const slot of fresh) defined.add(slot);
    return defining(child, fresh, slots);
  });
}

function defining(child: Stmt, fresh: readonly Slot[], slots: Slots): readonly Stmt[] {
  const rewritten = rewrite(child, slots);
  const isFirstStore = rewritten.kind === "assign" && fresh.length === 1;
  // A store that leaves lanes alone, or adds to the slot, reads the local it would define.
  const readsItself =
    isFirstStore && someExpr(rewritten.value, (each) => each.kind === "local" && each.name === rewritten.name);
  if (isFirstStore && !readsItself) return [define(rewritten.name, rewritten.value, fresh[0]!.memory)];
  return [...fresh.map((slot) => zeroed(slots, slot)), rewritten];
}

const zeroed = (slots: Slots, slot: Slot): Define =>
  define(slotLocal(slots, slot).name, broadcast(constOf(slots.buffer.dtype, 0), slot.lanes), slot.memory);

/** The slots that a statement accesses, by their first elements: each begins a unit. */
function slotsIn(stmt: Stmt, slots: Slots, units: Units): readonly Slot[] {
  const found = new Set<Slot>();
  for (const unit of firstAccesses(stmt, units).keys()) {
    const slot = slotAt(slots, unit * units.size);
    if (slot) found.add(slot);
  }
  return [...found].sort((a, b) => a.base - b.base);
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
  const slot = slotOf(slots, indices);
  const { base, lanes: count } = placeOf(indices)!;
  if (slots.isApart && count > 1) return joined(slots, base, count, active);
  const part = partIn(slot, indices);
  const local = slotLocal(slots, slot);
  const value = part ? partOf(local, part) : local;
  if (!active) return value;
  const { lanes } = part ?? slot;
  return select(leading(active, lanes), value, broadcast(constOf(local.dtype, 0), lanes));
}

/** A vector of elements that have slots of their own: 0 behind the active ones. */
function joined(slots: Slots, base: number, lanes: number, active: Expr | null): Expr {
  const elements = Array.from({ length: lanes }, (_, lane) => slotLocal(slots, slotAt(slots, base + lane)!));
  const value = lanesFrom(elements);
  return active ? select(leading(active, lanes), value, broadcast(constOf(slots.buffer.dtype, 0), lanes)) : value;
}

/** Turns a store into an assignment. Lanes that no store ever writes may take any value, so one mask for all stores of a slot is none. */
function assignOf({ indices, value, active }: Store, slots: Slots): Stmt {
  const slot = slotOf(slots, indices);
  const part = partIn(slot, indices);
  const local = slotLocal(slots, slot);
  if (part) {
    const stored = active ? select(leading(active, part.lanes), value, partOf(local, part)) : value;
    return assign(local.name, withPart(local, part, stored));
  }
  if (!active || slot.masks.size === 1) return assign(local.name, value);
  return assign(local.name, select(leading(active, slot.lanes), value, local));
}
