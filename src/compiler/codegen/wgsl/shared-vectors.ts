// Vectors in memory of which statements that follow each other read several elements, one by one: each is loaded once, where compilers
// for WGSL that check every access would load each element for itself.

import { exprKey } from "../../ir/expr-key.ts";
import type { Expr, Stmt } from "../../ir/loop-ir.ts";
import { lanesOf, walkStmt } from "../../ir/visit.ts";
import type { BufferForm } from "./buffer-form.ts";
import { dividedIndex } from "./place.ts";

/** Names of vectors, by their keys; null: it has no name yet. */
export type SharedVectors = Map<string, string | null>;

export const noVectors: SharedVectors = new Map();

export const keyOfVector = ({ buffer }: BufferForm, quotient: Expr): string => `${buffer.name} ${exprKey(quotient)}`;

/** Finds the vectors that such statements share. None of them stores to a buffer that is loaded. */
export function vectorsIn(stmts: readonly Stmt[], forms: ReadonlyMap<string, BufferForm>): SharedVectors {
  const read = new Map<string, Set<number>>();
  const note = (expr: Expr): void => {
    if (expr.kind !== "load" || lanesOf(expr) !== 1) return;
    const form = forms.get(expr.buffer)!;
    const divided = form.width === 1 || form.isPacked ? null : dividedIndex(expr.indices[0]!, form.width);
    if (!divided) return;
    const key = keyOfVector(form, divided.quotient);
    read.set(key, (read.get(key) ?? new Set()).add(divided.at));
  };
  for (const stmt of stmts) walkStmt(stmt, () => {}, note);
  return new Map([...read].filter(([, elements]) => elements.size > 1).map(([key]) => [key, null]));
}
