// Statement → the loops and conditions around its one store, where it has no more than that.

import type { Expr, Stmt, Store } from "../../../src/compiler/index.ts";
import { Refusal } from "./refusal.ts";

export interface Nest {
  readonly loops: readonly { readonly name: string; readonly extent: number }[];
  /** Forms that are not negative where the store happens. */
  readonly conditions: readonly Expr[];
  readonly store: Store;
}

/** The nest of a statement; null: it has several statements, or choices with two sides. */
export function nestOf(stmt: Stmt): Nest | null {
  switch (stmt.kind) {
    case "store":
      return { loops: [], conditions: [], store: stmt };
    case "for": {
      const inner = nestOf(stmt.body);
      return inner && { ...inner, loops: [{ name: stmt.name, extent: stmt.extent }, ...inner.loops] };
    }
    case "if": {
      const inner = stmt.else ? null : nestOf(stmt.then);
      return inner && { ...inner, conditions: [...conditionForms(stmt.condition), ...inner.conditions] };
    }
    case "seq": {
      const [only, ...others] = stmt.body;
      return only && others.length === 0 ? nestOf(only) : null;
    }
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return null;
  }
}

/** Condition → the forms none of which is negative where it holds: `a < b` is `b - a - 1`. */
export function conditionForms(condition: Expr): readonly Expr[] {
  if (condition.kind === "const") return [integer(condition.value === 0 ? -1 : 0)];
  if (condition.kind !== "binary" || condition.left.dtype === "f32") throw unknownCondition(condition);
  const { op, left, right } = condition;
  switch (op) {
    case "and":
      return [...conditionForms(left), ...conditionForms(right)];
    case "lt":
      return [minus(minus(right, left), integer(1))];
    case "le":
      return [minus(right, left)];
    case "gt":
      return [minus(minus(left, right), integer(1))];
    case "ge":
      return [minus(left, right)];
    case "eq":
      return [minus(left, right), minus(right, left)];
    default:
      throw unknownCondition(condition);
  }
}

const unknownCondition = (condition: Expr): Refusal =>
  new Refusal(
    `a condition is no comparison of indices, but ${condition.kind === "binary" ? condition.op : condition.kind}`,
  );

const integer = (value: number): Expr => ({ kind: "const", dtype: "i32", value });
const minus = (left: Expr, right: Expr): Expr => ({ kind: "binary", dtype: "i32", op: "sub", left, right });
