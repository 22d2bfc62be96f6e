// The direct operands of an expression: as a list, one by one, or mapped. Every kind of expression is named here.

import type { Expr } from "./loop-ir.ts";
import {
  updateBinary,
  updateBroadcast,
  updateInterleave,
  updateIntrinsic,
  updateLanes,
  updateLoad,
  updateOperand,
  updatePick,
  updateRamp,
  updateSelect,
} from "./update.ts";

type ExprFn = (expr: Expr) => Expr;

/** Maps an array; returns the same array if `f` changed no element. */
export function mapShared<T>(items: readonly T[], f: (item: T) => T): readonly T[] {
  let mapped: T[] | null = null;
  for (let at = 0; at < items.length; at++) {
    const item = f(items[at]!);
    if (item !== items[at]) mapped ??= items.slice(0, at);
    mapped?.push(item);
  }
  return mapped ?? items;
}

/** Rebuilds `expr` from its direct operands. */
export function mapOperands(expr: Expr, f: ExprFn): Expr {
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
      return expr;
    case "load": {
      const indices = mapShared(expr.indices, f);
      const active = expr.active && f(expr.active);
      return indices === expr.indices && active === expr.active ? expr : updateLoad(expr, { indices, active });
    }
    case "unary":
    case "cast":
    case "bitcast":
    case "fold":
    case "shuffle": {
      const operand = f(expr.operand);
      return operand === expr.operand ? expr : updateOperand(expr, operand);
    }
    case "binary": {
      const left = f(expr.left);
      const right = f(expr.right);
      return left === expr.left && right === expr.right ? expr : updateBinary(expr, { left, right });
    }
    case "select": {
      const [condition, yes, no] = [f(expr.condition), f(expr.then), f(expr.else)];
      const same = condition === expr.condition && yes === expr.then && no === expr.else;
      return same ? expr : updateSelect(expr, { condition, then: yes, else: no });
    }
    case "ramp": {
      const base = f(expr.base);
      return base === expr.base ? expr : updateRamp(expr, base);
    }
    case "broadcast": {
      const value = f(expr.value);
      return value === expr.value ? expr : updateBroadcast(expr, value);
    }
    case "lanes": {
      const elements = mapShared(expr.elements, f);
      return elements === expr.elements ? expr : updateLanes(expr, elements);
    }
    case "interleave": {
      const parts = mapShared(expr.parts, f);
      return parts === expr.parts ? expr : updateInterleave(expr, parts);
    }
    case "pick": {
      const parts = mapShared(expr.parts, f);
      return parts === expr.parts ? expr : updatePick(expr, parts);
    }
    case "intrinsic": {
      const operands = mapShared(expr.operands, f);
      return operands === expr.operands ? expr : updateIntrinsic(expr, operands);
    }
  }
}

const none: readonly never[] = [];

/** The direct operands, in order. Asked more often than anything else: it rebuilds nothing. */
export function operandsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
      return none;
    case "load":
      return expr.active ? [...expr.indices, expr.active] : expr.indices;
    case "unary":
    case "cast":
    case "bitcast":
    case "fold":
    case "shuffle":
      return [expr.operand];
    case "binary":
      return [expr.left, expr.right];
    case "select":
      return [expr.condition, expr.then, expr.else];
    case "ramp":
      return [expr.base];
    case "broadcast":
      return [expr.value];
    case "lanes":
      return expr.elements;
    case "interleave":
    case "pick":
      return expr.parts;
    case "intrinsic":
      return expr.operands;
  }
}

/** Calls `visit` for the direct operands, in order, and makes no list of them. */
export function eachOperand(expr: Expr, visit: (operand: Expr) => void): void {
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
      return;
    case "binary":
      visit(expr.left);
      visit(expr.right);
      return;
    case "unary":
    case "cast":
    case "bitcast":
    case "fold":
    case "shuffle":
      visit(expr.operand);
      return;
    case "broadcast":
      visit(expr.value);
      return;
    case "ramp":
      visit(expr.base);
      return;
    case "load":
    case "select":
    case "lanes":
    case "interleave":
    case "pick":
    case "intrinsic":
      for (const operand of operandsOf(expr)) visit(operand);
  }
}

/** `left` less the nodes of the expression written out as a tree, or some number below 0. Asked most often: it makes nothing. */
export function lessNodes(expr: Expr, left: number): number {
  if (left < 0) return left;
  switch (expr.kind) {
    case "const":
    case "var":
    case "local":
      return left - 1;
    case "binary":
      return lessNodes(expr.right, lessNodes(expr.left, left - 1));
    case "unary":
    case "cast":
    case "bitcast":
    case "fold":
    case "shuffle":
      return lessNodes(expr.operand, left - 1);
    case "broadcast":
      return lessNodes(expr.value, left - 1);
    case "ramp":
      return lessNodes(expr.base, left - 1);
    case "select":
      return lessNodes(expr.else, lessNodes(expr.then, lessNodes(expr.condition, left - 1)));
    case "load": {
      let rest = left - 1;
      for (const index of expr.indices) rest = lessNodes(index, rest);
      return expr.active ? lessNodes(expr.active, rest) : rest;
    }
    case "lanes":
    case "interleave":
    case "pick":
    case "intrinsic": {
      let rest = left - 1;
      for (const operand of operandsOf(expr)) rest = lessNodes(operand, rest);
      return rest;
    }
  }
}
