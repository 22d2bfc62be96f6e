// Expression + ranges of its variables → the same value, simpler: constants folded, index arithmetic in canonical linear
// form, divisions and comparisons decided by bounds. A variable whose range is one value becomes that value, so this also
// substitutes. Float arithmetic is left as it is but for what changes no bit.
//
//   (jr*48 + x) floorDiv 48 → jr     select(x < 48, a, b) → a     for x in 0..48

import { flatMap } from "../support/flat-map.ts";
import { operandsFirst } from "../support/graph.ts";
import { type Affine, addAffine, atomAffine, constantAffine, fromAffine, toAffine } from "./affine.ts";
import { boundsOfAffine } from "./bounds.ts";
import { assume, bool, compareAffine, isComparison } from "./compare.ts";
import { divideAffine, joinDivisions, modAffine } from "./divide.ts";
import { sameExpr } from "./expr-key.ts";
import { interner, isLargeExpr } from "./graph.ts";
import { lanesOf } from "./lanes.ts";
import type { Binary, Block, Cast, Const, Expr, For, If, Load, Select, Seq, Stmt, Store, Unary } from "./loop-ir.ts";
import { mapOperands, mapShared, operandsOf } from "./operands.ts";
import { insideLoop, noRanges, type Ranges, rangesOf, withMemory } from "./ranges.ts";
import { isGridLoop } from "./thread-axes.ts";
import {
  updateBinary,
  updateBlock,
  updateFor,
  updateIf,
  updateLoad,
  updateOperand,
  updateSelect,
  updateStore,
} from "./update.ts";
import { mapOwnExprs } from "./visit.ts";

export const simplifyExpr = (expr: Expr, ranges: Ranges = noRanges): Expr =>
  simple(expr, ranges.memory || !isLargeExpr(expr) ? ranges : remembering(expr, ranges));

/**
 * Ranges that know all nodes of a large expression in simplified form, from the leaves up. They are simplified for every
 * place at once: what holds on one side of a choice is taken for granted on a small side only.
 */
function remembering(expr: Expr, around: Ranges): Ranges {
  const ranges = withMemory(around);
  const intern = interner();
  for (const node of operandsFirst(expr, operandsOf)) {
    ranges.memory?.simple.set(node, intern(simplifyNode(node, ranges)));
  }
  return ranges;
}

const simple = (expr: Expr, ranges: Ranges): Expr => ranges.memory?.simple.get(expr) ?? simplifyNode(expr, ranges);

function simplifyNode(expr: Expr, ranges: Ranges): Expr {
  switch (expr.kind) {
    case "const":
    case "local":
      return expr;
    case "var":
      return simplifyVariable(expr, ranges);
    case "load":
      return simplifyLoad(expr, ranges);
    case "unary":
      return simplifyUnary(expr, ranges);
    case "binary":
      return simplifyBinary(expr, ranges);
    case "select":
      return simplifySelect(expr, ranges);
    case "cast":
      return simplifyCast(expr, ranges);
    case "ramp":
      return mapOperands(expr, (base) => simpleIndex(base, ranges));
    case "bitcast":
    case "shuffle":
    case "broadcast":
    case "lanes":
    case "interleave":
    case "pick":
    case "fold":
    case "intrinsic":
      return mapOperands(expr, (operand) => simple(operand, ranges));
  }
}

/** Simplifies like `simplifyExpr`, and brings a scalar i32 into linear form even around loads and locals. */
export const simplifyIndex = (index: Expr, ranges: Ranges = noRanges): Expr =>
  simpleIndex(index, ranges.memory || !isLargeExpr(index) ? ranges : remembering(index, ranges));

const simpleIndex = (index: Expr, ranges: Ranges): Expr =>
  index.dtype === "i32" && lanesOf(index) === 1 ? canonical(index, ranges) : simple(index, ranges);

/** The canonical expression, itself if it is that already: then what it is in need not be rebuilt. */
function canonical(index: Expr, ranges: Ranges): Expr {
  if (index.kind === "var") return simplifyVariable(index, ranges);
  const simple = fromAffine(simplifyAffine(index, ranges));
  return sameExpr(simple, index) ? index : simple;
}

/** The linear form of a scalar i32, its atoms simplified. */
export function simplifyAffine(expr: Expr, ranges: Ranges): Affine {
  const found = ranges.memory?.forms.get(expr);
  if (found) return found;
  const form = joinDivisions(toAffine(expr, (atom) => atomForm(atom, ranges)));
  ranges.memory?.forms.set(expr, form);
  return form;
}

// ── index arithmetic ────────────────────────────────────────────────────────────────────────────────────────────────

function atomForm(atom: Expr, ranges: Ranges): Affine | null {
  if (atom.kind === "var") return variableForm(atom, ranges);
  if (atom.kind === "binary" && (atom.op === "floorDiv" || atom.op === "mod")) return divisionForm(atom, ranges);
  if (atom.kind === "binary" && (atom.op === "min" || atom.op === "max")) return extremeForm(atom, ranges);
  const value = simple(atom, ranges);
  if (value === atom) return null;
  return value.kind === atom.kind ? atomAffine(value) : toAffine(value);
}

function simplifyVariable(expr: Expr & { readonly kind: "var" }, ranges: Ranges): Expr {
  const form = variableForm(expr, ranges);
  return form ? fromAffine(form) : expr;
}

function variableForm({ name }: Expr & { readonly kind: "var" }, ranges: Ranges): Affine | null {
  const range = ranges.get(name);
  return range && range.min === range.max && !range.isLane ? constantAffine(range.min) : null;
}

function divisionForm({ op, left, right }: Binary, ranges: Ranges): Affine {
  const x = simplifyAffine(left, ranges);
  const by = simplifyAffine(right, ranges);
  if (by.terms.length === 0 && by.constant > 0) {
    return op === "floorDiv" ? divideAffine(x, by.constant, ranges) : modAffine(x, by.constant, ranges);
  }
  return atomAffine({ kind: "binary", dtype: "i32", op, left: fromAffine(x), right: fromAffine(by) });
}

function extremeForm({ op, left, right }: Binary, ranges: Ranges): Affine {
  const a = simplifyAffine(left, ranges);
  const b = simplifyAffine(right, ranges);
  const { min, max } = boundsOfAffine(addAffine(a, b, -1), ranges);
  if (max <= 0) return op === "min" ? a : b;
  if (min >= 0) return op === "min" ? b : a;
  return atomAffine({ kind: "binary", dtype: "i32", op, left: fromAffine(a), right: fromAffine(b) });
}

/**
 * Says whether an expression is arithmetic on variables and constants alone. Only such an expression is rearranged
 * without regard to overflow.
 */
function isIndexArithmetic(expr: Expr, { memory }: Ranges): boolean {
  if (expr.dtype !== "i32") return false;
  if (!memory) return isArithmeticTree(expr);
  const found = memory.arithmetic.get(expr);
  if (found !== undefined) return found;
  for (const node of operandsFirst(expr, (each) => (memory.arithmetic.has(each) ? [] : operandsOf(each)))) {
    memory.arithmetic.set(
      node,
      isArithmeticNode(node, (operand) => memory.arithmetic.get(operand)!),
    );
  }
  return memory.arithmetic.get(expr)!;
}

const isArithmeticTree = (expr: Expr): boolean => isArithmeticNode(expr, isArithmeticTree);

function isArithmeticNode(expr: Expr, of: (operand: Expr) => boolean): boolean {
  if (expr.kind === "var") return true;
  if (expr.kind === "const") return expr.dtype === "i32";
  if (expr.kind === "unary") return expr.op === "neg" && of(expr.operand);
  if (expr.kind === "select") return of(expr.then) && of(expr.else);
  return expr.kind === "binary" && expr.dtype === "i32" && arithmetic.has(expr.op) && of(expr.left) && of(expr.right);
}

const arithmetic: ReadonlySet<string> = new Set(["add", "sub", "mul", "floorDiv", "mod", "min", "max"]);

// ── memory ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function simplifyLoad(load: Load, ranges: Ranges): Expr {
  const indices = mapShared(load.indices, (index) => simpleIndex(index, ranges));
  if (!load.active) return indices === load.indices ? load : updateLoad(load, { indices });
  const lanes = lanesOf(load);
  const active = leadingLanes(load.active, lanes, ranges);
  const zero: Const = { kind: "const", dtype: load.dtype, value: 0 };
  if (active === "none") return lanes === 1 ? zero : { kind: "broadcast", dtype: load.dtype, value: zero, lanes };
  return updateLoad(load, { indices, active });
}

/** Number of leading lanes that are active; null: all of them. */
function leadingLanes(active: Expr, lanes: number, ranges: Ranges): Expr | null | "none" {
  const form = simplifyAffine(active, ranges);
  const { min, max } = boundsOfAffine(form, ranges);
  if (max <= 0) return "none";
  return min >= lanes ? null : fromAffine(form);
}

function simplifyStore(stmt: Store, ranges: Ranges): Stmt {
  const indices = mapShared(stmt.indices, (index) => simplifyIndex(index, ranges));
  const lanes = stmt.active ? lanesOf(stmt.indices.at(-1)!) : 1;
  const active = stmt.active && leadingLanes(stmt.active, lanes, ranges);
  if (active === "none") return nothing;
  const value = simplifyExpr(stmt.value, ranges);
  const same = indices === stmt.indices && value === stmt.value && active === stmt.active;
  return same ? stmt : updateStore(stmt, { indices, value, active });
}

// ── everything else ─────────────────────────────────────────────────────────────────────────────────────────────────

function simplifyUnary(expr: Unary, ranges: Ranges): Expr {
  if (isIndexArithmetic(expr, ranges)) return canonical(expr, ranges);
  const operand = simple(expr.operand, ranges);
  if (expr.op === "not" && operand.kind === "const") return bool(operand.value === 0);
  return operand === expr.operand ? expr : updateOperand(expr, operand);
}

function simplifyBinary(expr: Binary, ranges: Ranges): Expr {
  const { op, left, right } = expr;
  if (isComparison(op) && isIndexArithmetic(left, ranges) && isIndexArithmetic(right, ranges)) {
    return compareAffine(op, simplifyAffine(left, ranges), simplifyAffine(right, ranges), ranges);
  }
  if (op === "and" || op === "or") return simplifyLogic(op, expr, ranges);
  if (isIndexArithmetic(expr, ranges)) return canonical(expr, ranges);
  const a = simple(left, ranges);
  const b = simple(right, ranges);
  if (op === "mul" && isOne(b)) return a;
  if (op === "mul" && isOne(a)) return b;
  return a === left && b === right ? expr : updateBinary(expr, { left: a, right: b });
}

/** Says whether an expression is 1: a product with 1 is exact in every type. */
const isOne = (expr: Expr): boolean =>
  (expr.kind === "const" && expr.value === 1) || (expr.kind === "broadcast" && isOne(expr.value));

/** Simplifies an `and` or `or`. The right side of an `and` is simplified under the assumption that the left side holds. */
function simplifyLogic(op: "and" | "or", expr: Binary, ranges: Ranges): Expr {
  const left = simple(expr.left, ranges);
  const absorbing = op === "and" ? 0 : 1;
  if (left.kind === "const") return left.value === absorbing ? left : simple(expr.right, ranges);
  const right = simple(expr.right, op === "and" ? assumed(left, expr.right, ranges) : ranges);
  if (right.kind === "const") return right.value === absorbing ? right : left;
  if (sameExpr(left, right)) return left;
  return left === expr.left && right === expr.right ? expr : updateBinary(expr, { left, right });
}

/** Ranges at the place of `side`, where the condition holds. */
const assumed = (condition: Expr, side: Expr, ranges: Ranges): Ranges =>
  ranges.memory && isLargeExpr(side) ? ranges : assume(condition, ranges);

function simplifySelect(expr: Select, ranges: Ranges): Expr {
  const condition = simple(expr.condition, ranges);
  if (condition.kind === "const") return simple(condition.value !== 0 ? expr.then : expr.else, ranges);
  const yes = simple(expr.then, assumed(condition, expr.then, ranges));
  const no = simple(expr.else, ranges);
  if (sameExpr(yes, no)) return yes;
  const same = condition === expr.condition && yes === expr.then && no === expr.else;
  return same ? expr : updateSelect(expr, { condition, then: yes, else: no });
}

function simplifyCast(expr: Cast, ranges: Ranges): Expr {
  const operand = simple(expr.operand, ranges);
  if (operand.dtype === expr.dtype) return operand;
  if (operand.kind === "const" && operand.dtype === "i32" && expr.dtype === "f32") {
    return { kind: "const", dtype: "f32", value: Math.fround(operand.value) };
  }
  return operand === expr.operand ? expr : updateOperand(expr, operand);
}

// ── statements ──────────────────────────────────────────────────────────────────────────────────────────────────────

const nothing: Seq = { kind: "seq", body: [] };

export const isNothing = (stmt: Stmt): boolean => stmt.kind === "seq" && stmt.body.length === 0;

/** Simplifies a statement. Also drops loops of one iteration, decided conditions and empty statements. */
export function simplifyStmt(stmt: Stmt, ranges: Ranges = noRanges): Stmt {
  switch (stmt.kind) {
    case "for":
      return simplifyFor(stmt, ranges);
    case "seq":
      return seqOf(
        mapShared(stmt.body, (each) => simplifyStmt(each, ranges)),
        stmt,
      );
    case "if":
      return simplifyIf(stmt, ranges);
    case "store":
      return simplifyStore(stmt, ranges);
    case "define":
    case "assign":
      return mapOwnExprs(stmt, (expr) => simplifyExpr(expr, ranges));
    case "sync":
      return stmt;
    case "prefetch":
      return mapOwnExprs(stmt, (index) => simplifyIndex(index, ranges));
    case "block":
      return simplifyBlock(stmt, ranges);
  }
}

function simplifyFor(stmt: For, ranges: Ranges): Stmt {
  if (stmt.extent <= 0) return nothing;
  const body = simplifyStmt(stmt.body, insideLoop(ranges, stmt));
  if ((stmt.extent === 1 && !isGridLoop(stmt)) || isNothing(body)) return body;
  return body === stmt.body ? stmt : updateFor(stmt, { body });
}

function simplifyIf(stmt: If, ranges: Ranges): Stmt {
  const condition = simplifyExpr(stmt.condition, ranges);
  if (condition.kind === "const" && condition.value !== 0) return simplifyStmt(stmt.then, ranges);
  if (condition.kind === "const") return stmt.else ? simplifyStmt(stmt.else, ranges) : nothing;
  const yes = simplifyStmt(stmt.then, assume(condition, ranges));
  const otherwise = stmt.else && simplifyStmt(stmt.else, ranges);
  const no = otherwise && isNothing(otherwise) ? null : otherwise;
  if (isNothing(yes) && !no) return nothing;
  const same = condition === stmt.condition && yes === stmt.then && no === stmt.else;
  return same ? stmt : updateIf(stmt, { condition, then: yes, else: no });
}

/** A sequence without sequences in it that introduce no locals; `same` if nothing changed. */
export function seqOf(body: readonly Stmt[], same: Seq | null = null): Stmt {
  const opens = (stmt: Stmt): stmt is Seq => stmt.kind === "seq" && stmt.body.every(({ kind }) => kind !== "define");
  const flat = body.some(opens) ? flatMap(body, (stmt) => (opens(stmt) ? stmt.body : [stmt])) : body;
  if (flat.length === 1 && flat[0]!.kind !== "define") return flat[0]!;
  return same && flat === same.body ? same : { kind: "seq", body: flat };
}

/** Simplifies a block. Its expressions are over its axes and the loops around it, its bindings over the loops alone. */
function simplifyBlock(block: Block, ranges: Ranges): Block {
  const axes = rangesOf(block.axes, ranges);
  const bindings = mapShared(block.bindings, (binding) => simplifyIndex(binding, ranges));
  const indices = mapShared(block.indices, (index) => simplifyIndex(index, axes));
  const init = block.init && simplifyExpr(block.init, axes);
  const value = simplifyExpr(block.value, axes);
  const same = bindings === block.bindings && indices === block.indices && init === block.init && value === block.value;
  return same ? block : updateBlock(block, { bindings, indices, init, value });
}
