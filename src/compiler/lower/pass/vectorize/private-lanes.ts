// Says whether the iterations of a loop touch different elements of every buffer that they store. Then its body may be
// taken apart, and each part run for all lanes at once.
//
//   C[i*83 + v] = C[i*83 + v] + …  yes, for 83 ≥ lanes      t[0] = x[v]; y[v] = t[0]   no

import { type Affine, coefficientOf, toAffine, withoutVar } from "../../../ir/affine.ts";
import { exprKey } from "../../../ir/expr-key.ts";
import type { Expr, For, Stmt } from "../../../ir/loop-ir.ts";
import { walkStmt } from "../../../ir/visit.ts";
import { mentions } from "./active-lanes.ts";

export function lanesArePrivate(loop: For): boolean {
  const accesses = accessesIn(loop.body);
  const inner = innerExtents(loop.body);
  for (const indices of accesses.values()) if (!arePrivate(indices, loop, inner)) return false;
  return true;
}

/** Flat indices of all accesses, of the buffers that are stored. */
function accessesIn(stmt: Stmt): ReadonlyMap<string, readonly Expr[]> {
  const accesses = new Map<string, Expr[]>();
  const stored = new Set<string>();
  const note = (buffer: string, index: Expr) => accesses.set(buffer, [...(accesses.get(buffer) ?? []), index]);
  const visit = (each: Stmt): void => {
    if (each.kind !== "store") return;
    stored.add(each.buffer);
    note(each.buffer, each.indices[0]!);
  };
  walkStmt(stmt, visit, (expr) => expr.kind === "load" && note(expr.buffer, expr.indices[0]!));
  return new Map([...accesses].filter(([buffer]) => stored.has(buffer)));
}

function innerExtents(stmt: Stmt): ReadonlyMap<string, number> {
  const extents = new Map<string, number>();
  walkStmt(stmt, (each) => {
    if (each.kind === "for") extents.set(each.name, Math.max(each.extent, extents.get(each.name) ?? 0));
  });
  return extents;
}

/**
 * All accesses have the form fixed + s·lane + Σ c·inner with one fixed part; they are private if the sum is a mixed-radix
 * number, each coefficient larger than all that the smaller ones can make: then another lane is another element.
 */
function arePrivate(indices: readonly Expr[], loop: For, inner: ReadonlyMap<string, number>): boolean {
  const forms = indices.map((index) => toAffine(index));
  const step = coefficientOf(forms[0]!, loop.name);
  const fixed = fixedPart(forms[0]!, loop.name, inner);
  if (step === 0 || forms.length === 0) return false;
  for (const form of forms) {
    if (coefficientOf(form, loop.name) !== step || fixedPart(form, loop.name, inner) !== fixed) return false;
    if (withoutVar(form, loop.name).terms.some(({ atom }) => hidesVariable(atom, loop.name, inner))) return false;
  }
  return isMixedRadix(reaches(forms, step, loop, inner));
}

const hidesVariable = (atom: Expr, lane: string, inner: ReadonlyMap<string, number>): boolean =>
  atom.kind !== "var" && (mentions(atom, lane) || [...inner.keys()].some((name) => mentions(atom, name)));

/** The part that is the same for all lanes and all iterations inside. */
function fixedPart(form: Affine, lane: string, inner: ReadonlyMap<string, number>): string {
  const fixed = form.terms.filter(({ atom }) => atom.kind !== "var" || (atom.name !== lane && !inner.has(atom.name)));
  return `${form.constant}${fixed.map(({ atom, coefficient }) => `+${coefficient}*${exprKey(atom)}`).join("")}`;
}

/** Size of coefficient → the most that its variables add up to, in any of the forms. */
function reaches(forms: readonly Affine[], step: number, loop: For, inner: ReadonlyMap<string, number>) {
  const most = new Map<number, number>([[Math.abs(step), loop.extent - 1]]);
  for (const form of forms) {
    const own = new Map<number, number>([[Math.abs(step), loop.extent - 1]]);
    for (const { atom, coefficient } of form.terms) {
      const extent = atom.kind === "var" ? inner.get(atom.name) : undefined;
      if (extent === undefined || extent === 1) continue;
      const size = Math.abs(coefficient);
      // Another variable with the lane's own step could take the place of a lane.
      own.set(size, size === Math.abs(step) ? Number.POSITIVE_INFINITY : (own.get(size) ?? 0) + extent - 1);
    }
    for (const [size, reach] of own) most.set(size, Math.max(most.get(size) ?? 0, reach));
  }
  return most;
}

function isMixedRadix(reach: ReadonlyMap<number, number>): boolean {
  let below = 0;
  for (const [size, most] of [...reach].sort(([a], [b]) => a - b)) {
    if (size <= below || most === Number.POSITIVE_INFINITY) return false;
    below += size * most;
  }
  return true;
}
