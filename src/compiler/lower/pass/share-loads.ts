// A load that is repeated, with no store to its buffer in between → one local. Loads that a loop repeats in every
// iteration move before it.
//
//   c0 = c0 + broadcast(A[k], 8) * B[k*16 ..]            a := broadcast(A[k], 8)
//   c1 = c1 + broadcast(A[k], 8) * B[k*16 + 8 ..]   →    c0 = c0 + a * B[k*16 ..]
//                                                        c1 = c1 + a * B[k*16 + 8 ..]
//
// An operand that an instruction takes as a fragment becomes a local that is one; no fragment is shared with a register.

import { define, localFrom } from "../../ir/build.ts";
import { evaluatedAlways } from "../../ir/evaluated.ts";
import { exprKey } from "../../ir/expr-key.ts";
import { fragmentsIn, isOnFragments, isWholeAccess } from "../../ir/fragment.ts";
import { isLargeExpr, rebuild } from "../../ir/graph.ts";
import type { Assign, Define, Expr, For, Registers, Seq, Stmt, Store } from "../../ir/loop-ir.ts";
import { seqOf } from "../../ir/simplify.ts";
import { changedIn, isLeaf, spliced } from "../../ir/statements.ts";
import { isThreadLoop, isWarpWide } from "../../ir/thread-axes.ts";
import { updateFor } from "../../ir/update.ts";
import { mapChildren, mapOperands, mapOwnExprs, operandsOf, ownExprs, someExpr, walkStmt } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { operandsFirst, usesOf } from "../../support/graph.ts";
import type { Pass } from "./pass.ts";

/** Loads that leave one loop: each takes a register from the loop's body. */
const maxHoisted = 8;

export const shareLoads: Pass = {
  name: "share-loads",
  run(func) {
    const names: LocalNames = { next: 0, fragments: fragmentsIn(func.body), stored: storedIn(func.body) };
    return { ...func, body: share(func.body, names) };
  },
};

/** Locals of this function. */
interface LocalNames {
  /** Number of the next one. */
  next: number;
  /** Those that were fragments before. */
  readonly fragments: ReadonlySet<string>;
  /** Buffers that the function stores to: behind a barrier they may have what another thread has stored. */
  readonly stored: ReadonlySet<string>;
}

function share(stmt: Stmt, names: LocalNames): Stmt {
  if (stmt.kind === "seq") return shareInSeq(spliced(stmt.body), names);
  const inner = mapChildren(stmt, (child) => share(child, names));
  // Threads of a parallel loop do not have the registers of the code around it, so no load is hoisted out of one.
  if (inner.kind === "for") return inner.mark === "parallel" || isThreadLoop(inner) ? inner : hoistLoads(inner, names);
  return inner.kind === "if" ? inner : seqOf(shareInRun([inner], names));
}

/** Shares loads in a sequence. Leaves are looked at once, with their neighbours. */
function shareInSeq(seq: Seq, names: LocalNames): Stmt {
  const body = seq.body.map((child) => (isLeaf(child) ? child : share(child, names)));
  return spliced(shareInRun(spliced(body).body, names));
}

const keys = new WeakMap<Expr, string>();

/** Key of a load, remembered: it is asked for several times. */
function keyOf(load: Expr): string {
  const known = keys.get(load);
  if (known !== undefined) return known;
  const key = exprKey(load);
  keys.set(load, key);
  return key;
}

/** Registers that a load in a statement goes to. */
function registersFor(load: Expr, stmt: Stmt, { fragments }: LocalNames): Registers {
  if (load.kind !== "load" || !isWholeAccess(load.indices, load.active)) return "register";
  const isGiven =
    stmt.kind === "define" ? stmt.memory === "fragment" : stmt.kind === "assign" && fragments.has(stmt.name);
  return isGiven || (isLeaf(stmt) && isOnFragments(stmt.value)) ? "fragment" : "register";
}

const keyIn = (load: Expr, memory: Registers): string =>
  memory === "fragment" ? `fragment ${keyOf(load)}` : keyOf(load);

const prefix = "load_";

const fresh = (names: LocalNames, value: Expr, memory: Registers): Define =>
  define(`${prefix}${names.next++}`, value, memory);

// ── which loads ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Says whether an expression is a load that a register can keep: a load, perhaps converted, broadcast, or replaced by a
 * constant under a condition.
 */
function isLoad(expr: Expr): boolean {
  if (expr.kind === "load") return !expr.indices.some((index) => someExpr(index, ({ kind }) => kind === "load"));
  if (expr.kind === "broadcast") return isLoad(expr.value);
  if (expr.kind === "cast") return isLoad(expr.operand);
  return expr.kind === "select" && isConstant(expr.else) && isLoad(expr.then) && !loads(expr.condition);
}

const isConstant = (expr: Expr): boolean =>
  expr.kind === "broadcast" ? isConstant(expr.value) : expr.kind === "const";
const loads = (expr: Expr): boolean => someExpr(expr, ({ kind }) => kind === "load");

function bufferOf(load: Expr): string {
  if (load.kind === "load") return load.buffer;
  return bufferOf(load.kind === "select" ? load.then : operandsOf(load)[0]!);
}

/** Calls `visit` for the loads that are evaluated whenever `expr` is, as often as they are operands. */
function walkLoads(expr: Expr, visit: (load: Expr) => void): void {
  if (!isLargeExpr(expr)) {
    walkTree(expr, visit);
    return;
  }
  const order = operandsFirst(expr, evaluatedWith);
  const uses = usesOf(order, evaluatedWith);
  for (const each of order) if (isLoad(each)) for (let use = uses.get(each) ?? 1; use > 0; use--) visit(each);
}

function walkTree(expr: Expr, visit: (load: Expr) => void): void {
  if (isLoad(expr)) visit(expr);
  else for (const operand of evaluatedAlways(expr)) walkTree(operand, visit);
}

const evaluatedWith = (expr: Expr): readonly Expr[] => (isLoad(expr) ? [] : evaluatedAlways(expr));

/** The statement with locals in place of the loads of its own expressions, by key. */
const replaceLoads = (stmt: Stmt, locals: ReadonlyMap<string, Define>, names: LocalNames): Stmt =>
  isTileCopy(stmt)
    ? stmt
    : mapOwnExprs(stmt, (expr) =>
        rebuild(expr, (each, map) => {
          const found = isLoad(each) ? locals.get(keyIn(each, registersFor(each, stmt, names))) : undefined;
          return found ? localFrom(found) : mapOperands(each, map);
        }),
      );

function storedIn(stmt: Stmt): ReadonlySet<string> {
  const stored = new Set<string>();
  walkStmt(stmt, (each) => {
    if (each.kind === "store") stored.add(each.buffer);
  });
  return stored;
}

const usesAny = (expr: Expr, names: ReadonlySet<string>): boolean =>
  someExpr(expr, (each) => (each.kind === "var" || each.kind === "local") && names.has(each.name));

/** Says whether a statement copies a tile, which comes to no registers on its way. */
const isTileCopy = (stmt: Stmt): boolean =>
  stmt.kind === "store" && stmt.value.kind === "load" && isWarpWide(stmt.value);

const hasSharedLoads = (stmt: Stmt): stmt is Store | Define | Assign => isLeaf(stmt) && !isTileCopy(stmt);

// ── repeated in a run of statements ─────────────────────────────────────────────────────────────────────────────────

/** Uses of one load between two stores to its buffer. */
interface Use {
  readonly first: number;
  last: number;
  count: number;
  readonly load: Expr;
  readonly memory: Registers;
  /** Whether its index names locals, which may change. */
  readonly usesLocals: boolean;
}

function shareInRun(stmts: readonly Stmt[], names: LocalNames): readonly Stmt[] {
  const shared = usesIn(stmts, names).filter(({ count }) => count > 1);
  if (shared.length === 0) return stmts;
  const live = new Map<string, Define>();
  const [starts, ends] = [byStatement(shared, "first"), byStatement(shared, "last")];
  return flatMap(stmts, (stmt, at) => {
    const starting = (starts.get(at) ?? []).map(({ load, memory }) => fresh(names, load, memory));
    for (const each of starting) live.set(keyIn(each.value, each.memory), each);
    const rewritten = isLeaf(stmt) && live.size > 0 ? replaceLoads(stmt, live, names) : stmt;
    for (const { load, memory } of ends.get(at) ?? []) live.delete(keyIn(load, memory));
    return [...starting, rewritten];
  });
}

function byStatement(uses: readonly Use[], end: "first" | "last"): ReadonlyMap<number, readonly Use[]> {
  const found = new Map<number, Use[]>();
  for (const use of uses) {
    const here = found.get(use[end]) ?? [];
    here.push(use);
    found.set(use[end], here);
  }
  return found;
}

/** Loads that are still what they were, by buffer and key. */
type Open = Map<string, Map<string, Use>>;

function usesIn(stmts: readonly Stmt[], names: LocalNames): readonly Use[] {
  const open: Open = new Map();
  const all: Use[] = [];
  stmts.forEach((stmt, at) => {
    const note = (load: Expr): void => noteUse(load, registersFor(load, stmt, names), at, open, all);
    if (hasSharedLoads(stmt)) for (const expr of ownExprs(stmt)) walkLoads(expr, note);
    if (stmt.kind === "store") open.delete(stmt.buffer);
    else closeChanged(stmt, open);
  });
  return all;
}

/** Forgets the loads that `stmt` may change. */
function closeChanged(stmt: Stmt, open: Open): void {
  for (const buffer of isLeaf(stmt) ? [] : storedIn(stmt)) open.delete(buffer);
  const isLocal = stmt.kind === "define" || stmt.kind === "assign";
  const changed = isLocal ? new Set([stmt.name]) : changedIn(stmt);
  for (const uses of open.values()) {
    for (const [key, { load, usesLocals }] of uses) if (usesLocals && usesAny(load, changed)) uses.delete(key);
  }
}

function noteUse(load: Expr, memory: Registers, at: number, open: Open, all: Use[]): void {
  const buffer = bufferOf(load);
  const uses = open.get(buffer) ?? new Map<string, Use>();
  open.set(buffer, uses);
  const key = keyIn(load, memory);
  const known = uses.get(key);
  if (known) {
    known.last = at;
    known.count++;
    return;
  }
  const usesLocals = someExpr(load, ({ kind }) => kind === "local");
  const use: Use = { first: at, last: at, count: 1, load, memory, usesLocals };
  uses.set(key, use);
  all.push(use);
}

// ── repeated in a loop ──────────────────────────────────────────────────────────────────────────────────────────────

function hoistLoads(loop: For, names: LocalNames): Stmt {
  if (loop.extent < 1) return loop;
  const stored = storedIn(loop);
  const changed = changedIn(loop);
  const fixed = new Map<string, Define>();
  const stmts = loop.body.kind === "seq" ? loop.body.body : [loop.body];
  const meeting = stmts.findIndex(hasBarrier);
  const rest = stmts.filter((stmt, at) => {
    const changing = meeting >= 0 && at > meeting ? names.stored : stored;
    const isFixed = (load: Expr) => !changing.has(bufferOf(load)) && !usesAny(load, changed);
    return !collectFixed(stmt, isFixed, fixed, names);
  });
  if (fixed.size === 0) return loop;
  return seqOf([...fixed.values(), updateFor(loop, { body: replaceIn(seqOf(rest), fixed, names) })]);
}

/** Says whether threads meet in a statement. */
function hasBarrier(stmt: Stmt): boolean {
  let found = false;
  walkStmt(stmt, ({ kind }) => {
    found ||= kind === "sync";
  });
  return found;
}

/** Adds the loads of a statement that may leave the loop. True if the statement as a whole may: a shared load's define. */
function collectFixed(
  stmt: Stmt,
  isFixed: (load: Expr) => boolean,
  fixed: Map<string, Define>,
  names: LocalNames,
): boolean {
  if (!hasSharedLoads(stmt)) return false;
  const isShared = stmt.kind === "define" && stmt.name.startsWith(prefix);
  for (const expr of ownExprs(stmt)) {
    walkLoads(expr, (load) => {
      const memory = registersFor(load, stmt, names);
      const key = keyIn(load, memory);
      if (fixed.size >= maxHoisted || fixed.has(key) || !isFixed(load)) return;
      fixed.set(key, isShared && load === stmt.value ? stmt : fresh(names, load, memory));
    });
  }
  return isShared && fixed.get(keyIn(stmt.value, stmt.memory)) === stmt;
}

const replaceIn = (stmt: Stmt, locals: ReadonlyMap<string, Define>, names: LocalNames): Stmt =>
  mapChildren(replaceLoads(stmt, locals, names), (child) => replaceIn(child, locals, names));
