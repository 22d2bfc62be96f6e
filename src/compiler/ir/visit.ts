// The traversals that every pass uses: one level, bottom-up, and read-only. Rebuilding shares structure: a node none of
// whose children changed is returned as it is, so `===` tells whether a pass did something.

import { flatMap } from "../support/flat-map.ts";
import { parentsFirst, some } from "../support/graph.ts";
import { isLargeExpr, rebuild } from "./graph.ts";
import type { Block, Expr, Seq, Stmt } from "./loop-ir.ts";
import { eachOperand, mapOperands, mapShared, operandsOf } from "./operands.ts";
import { updateAssign, updateBlock, updateDefine, updateFor, updateIf, updatePrefetch, updateStore } from "./update.ts";

export { lanesOf } from "./lanes.ts";
export { mapOperands, mapShared, operandsOf } from "./operands.ts";

type ExprFn = (expr: Expr) => Expr;
type StmtFn = (stmt: Stmt) => Stmt;

/** Maps bottom-up: `f` sees each node with its operands already mapped. It has to depend on nothing but the node. */
export const mapExpr = (expr: Expr, f: ExprFn): Expr => rebuild(expr, (each, map) => f(mapOperands(each, map)));

/** Rebuilds `stmt` from its direct child statements; its own expressions stay. */
export function mapChildren(stmt: Stmt, f: StmtFn): Stmt {
  switch (stmt.kind) {
    case "for": {
      const body = f(stmt.body);
      return body === stmt.body ? stmt : updateFor(stmt, { body });
    }
    case "seq": {
      const body = mapShared(stmt.body, f);
      return body === stmt.body ? stmt : { kind: "seq", body };
    }
    case "if": {
      const yes = f(stmt.then);
      const no = stmt.else && f(stmt.else);
      return yes === stmt.then && no === stmt.else ? stmt : updateIf(stmt, { then: yes, else: no });
    }
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return stmt;
  }
}

/** Maps bottom-up: `f` sees each statement with its children already mapped. */
export function mapStmt(stmt: Stmt, f: StmtFn): Stmt {
  const visit = (each: Stmt): Stmt => f(mapChildren(each, visit));
  return visit(stmt);
}

/** Applies `f` to the roots of the statement's own expressions, not to those of its children. */
export function mapOwnExprs(stmt: Stmt, f: ExprFn): Stmt {
  switch (stmt.kind) {
    case "for":
    case "seq":
    case "sync":
      return stmt;
    case "if": {
      const condition = f(stmt.condition);
      return condition === stmt.condition ? stmt : updateIf(stmt, { condition });
    }
    case "store": {
      const indices = mapShared(stmt.indices, f);
      const value = f(stmt.value);
      const active = stmt.active && f(stmt.active);
      const same = indices === stmt.indices && value === stmt.value && active === stmt.active;
      return same ? stmt : updateStore(stmt, { indices, value, active });
    }
    case "define": {
      const value = f(stmt.value);
      return value === stmt.value ? stmt : updateDefine(stmt, value);
    }
    case "assign": {
      const value = f(stmt.value);
      return value === stmt.value ? stmt : updateAssign(stmt, value);
    }
    case "prefetch": {
      const indices = mapShared(stmt.indices, f);
      return indices === stmt.indices ? stmt : updatePrefetch(stmt, indices);
    }
    case "block":
      return mapBlockExprs(stmt, f);
  }
}

/** Applies `f` to the roots of all expressions of a block. */
export function mapBlockExprs(block: Block, f: ExprFn): Block {
  const bindings = mapShared(block.bindings, f);
  const indices = mapShared(block.indices, f);
  const init = block.init && f(block.init);
  const value = f(block.value);
  const same = bindings === block.bindings && indices === block.indices && init === block.init && value === block.value;
  return same ? block : updateBlock(block, { bindings, indices, init, value });
}

/** Applies `f` bottom-up to every expression below `stmt`. */
export const mapExprsIn = (stmt: Stmt, f: ExprFn): Stmt =>
  mapStmt(stmt, (each) => mapOwnExprs(each, (expr) => mapExpr(expr, f)));

const none: readonly never[] = [];

/** The roots of the statement's own expressions, in order. */
export function ownExprs(stmt: Stmt): readonly Expr[] {
  switch (stmt.kind) {
    case "for":
    case "seq":
    case "sync":
      return none;
    case "if":
      return [stmt.condition];
    case "store":
      return stmt.active ? [...stmt.indices, stmt.value, stmt.active] : [...stmt.indices, stmt.value];
    case "define":
    case "assign":
      return [stmt.value];
    case "prefetch":
      return stmt.indices;
    case "block":
      return [...stmt.bindings, ...stmt.indices, ...(stmt.init ? [stmt.init] : none), stmt.value];
  }
}

/** The direct child statements, in order. */
export function childrenOf(stmt: Stmt): readonly Stmt[] {
  switch (stmt.kind) {
    case "for":
      return [stmt.body];
    case "seq":
      return stmt.body;
    case "if":
      return stmt.else ? [stmt.then, stmt.else] : [stmt.then];
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return none;
  }
}

/** Calls `visit` for `expr` and everything in it, parents first; in a large expression for each node once (`graph.ts`). */
export function walkExpr(expr: Expr, visit: (expr: Expr) => void): void {
  if (isLargeExpr(expr)) {
    for (const each of parentsFirst(expr, operandsOf)) visit(each);
    return;
  }
  const walk = (each: Expr): void => {
    visit(each);
    eachOperand(each, walk);
  };
  walk(expr);
}

/** Nodes that are visited before any is remembered. */
const unremembered = 256;

/** Makes a walk like `walkExpr` for many expressions, in less time, but some nodes of a large one are visited again. */
function walker(visit: (expr: Expr) => void): (expr: Expr) => void {
  let left = 0;
  let seen: Set<Expr> | null = null;
  const walk = (each: Expr): void => {
    if (--left < 0) {
      seen ??= new Set();
      visitNew(each, seen, visit);
    } else {
      visit(each);
      eachOperand(each, walk);
    }
  };
  return (expr) => {
    left = unremembered;
    seen = null;
    walk(expr);
  };
}

function visitNew(expr: Expr, seen: Set<Expr>, visit: (expr: Expr) => void): void {
  for (const node of parentsFirst(expr, (it) => (seen.has(it) ? none : operandsOf(it)))) {
    if (!seen.has(node)) visit(node);
    seen.add(node);
  }
}

/**
 * Calls `visit` for `stmt` and every statement in it, parents first, and `visitExpr` for every expression in them, at least
 * once.
 */
export function walkStmt(stmt: Stmt, visit: (stmt: Stmt) => void, visitExpr?: (expr: Expr) => void): void {
  const walkOwn = visitExpr && walker(visitExpr);
  const walk = (each: Stmt): void => {
    visit(each);
    if (walkOwn) for (const expr of ownExprs(each)) walkOwn(expr);
    for (const child of childrenOf(each)) walk(child);
  };
  walk(stmt);
}

/** Calls `visit` for every expression in those of the statement itself, not in those of its children, at least once. */
export const walkOwnExprs = (stmt: Stmt, visit: (expr: Expr) => void): void => ownExprs(stmt).forEach(walker(visit));

/** Says whether `test` holds for `expr` or anything in it. */
export const someExpr = (expr: Expr, test: (expr: Expr) => boolean): boolean => some(expr, operandsOf, test);

/** Names of the variables in `expr`. */
export function varsIn(expr: Expr): ReadonlySet<string> {
  const names = new Set<string>();
  addVars(expr, names);
  return names;
}

/** Adds the names of the variables in `expr` to `names`. */
export function addVars(expr: Expr, names: Set<string>): void {
  walkExpr(expr, (each) => {
    if (each.kind === "var") names.add(each.name);
  });
}

/** Puts expressions in place of variables. */
export const substitute = (expr: Expr, vars: ReadonlyMap<string, Expr>): Expr =>
  rebuild(expr, (each, map) => (each.kind === "var" ? (vars.get(each.name) ?? each) : mapOperands(each, map)));

/** Puts expressions in place of loop variables. A loop or a block's axis of the same name hides the variable. */
export function substituteStmt(stmt: Stmt, vars: ReadonlyMap<string, Expr>): Stmt {
  if (stmt.kind === "block") return substituteBlock(stmt, vars);
  const inner = stmt.kind === "for" ? without(vars, [stmt.name]) : vars;
  const own = mapOwnExprs(stmt, (expr) => substitute(expr, vars));
  return mapChildren(own, (child) => substituteStmt(child, inner));
}

/** Substitutes in a block: the bindings are outside the axes' scope, the rest is inside. */
function substituteBlock(stmt: Block, vars: ReadonlyMap<string, Expr>): Block {
  const { axes, bindings } = stmt;
  const axisNames = axes.map((axis) => axis.name);
  const inner = without(vars, axisNames);
  // The block goes without its bindings, so that they are not substituted twice.
  const rest = mapBlockExprs(updateBlock(stmt, { bindings: [] }), (expr) => substitute(expr, inner));
  const bound = mapShared(bindings, (binding) => substitute(binding, vars));
  const { indices, init, value } = stmt;
  const same = bound === bindings && rest.indices === indices && rest.init === init && rest.value === value;
  return same ? stmt : updateBlock(rest, { bindings: bound });
}

function without(vars: ReadonlyMap<string, Expr>, names: readonly string[]): ReadonlyMap<string, Expr> {
  return names.some((name) => vars.has(name)) ? new Map([...vars].filter(([key]) => !names.includes(key))) : vars;
}

/** Unwraps nested sequences, but for those that introduce locals: their scope ends with them. */
export function flattenSeq(stmts: readonly Stmt[]): Seq {
  const isOpen = (stmt: Stmt): stmt is Seq => stmt.kind === "seq" && stmt.body.every(({ kind }) => kind !== "define");
  return { kind: "seq", body: flatMap(stmts, (stmt) => (isOpen(stmt) ? flattenSeq(stmt.body).body : [stmt])) };
}
