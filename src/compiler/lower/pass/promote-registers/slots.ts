// The slots of a register buffer: the elements or aligned vectors that its accesses name, if they name no others.

import { localOf } from "../../../ir/build.ts";
import { exprKey } from "../../../ir/expr-key.ts";
import type { Buffer, Expr, Local, Stmt } from "../../../ir/loop-ir.ts";
import { childrenOf, ownExprs, someExpr, walkStmt } from "../../../ir/visit.ts";

/** More locals than this no compiler keeps in registers. */
const maxSlots = 128;

export interface Slots {
  readonly buffer: Buffer;
  /** Of every access. */
  readonly lanes: number;
  /** First element of a slot → the `active` of all stores to it as keys; "" for none. */
  readonly masks: ReadonlyMap<number, ReadonlySet<string>>;
  /** Of what the slots' locals are called; a buffer may be promoted in several places. */
  readonly suffix: string;
}

/** Null if an index is not constant, or accesses overlap in part. */
export function slotsOf(body: Stmt, buffer: Buffer, suffix = ""): Slots | null {
  const accesses: Access[] = [];
  const note = (indices: readonly Expr[], mask: string | null) => accesses.push({ place: placeOf(indices[0]!), mask });
  walkStmt(
    body,
    (stmt) =>
      stmt.kind === "store" &&
      stmt.buffer === buffer.name &&
      note(stmt.indices, stmt.active ? exprKey(stmt.active) : ""),
    (expr) => expr.kind === "load" && expr.buffer === buffer.name && note(expr.indices, null),
  );
  const lanes = accesses[0]?.place?.lanes;
  const fits = ({ place }: Access) => place !== null && place.lanes === lanes && place.base % place.lanes === 0;
  if (!lanes || !accesses.every(fits)) return null;
  const masks = new Map<number, Set<string>>();
  for (const { place, mask } of accesses) {
    const known = masks.get(place!.base) ?? new Set();
    masks.set(place!.base, mask === null ? known : known.add(mask));
  }
  return masks.size <= maxSlots ? { buffer, lanes, masks, suffix } : null;
}

interface Place {
  readonly base: number;
  readonly lanes: number;
}

interface Access {
  readonly place: Place | null;
  /** Null for a load. */
  readonly mask: string | null;
}

function placeOf(index: Expr): Place | null {
  if (index.kind === "const") return { base: index.value, lanes: 1 };
  if (index.kind !== "ramp" || index.stride !== 1 || index.base.kind !== "const") return null;
  return { base: index.base.value, lanes: index.lanes };
}

/** The first element that a constant access names. */
export const baseOf = (indices: readonly Expr[]): number => placeOf(indices[0]!)!.base;

export const slotLocal = ({ buffer, lanes, suffix }: Slots, base: number): Local =>
  localOf(`${buffer.name}_${base / lanes}${suffix}`, buffer.dtype, lanes);

export const reads = (expr: Expr, buffer: string): boolean =>
  someExpr(expr, (each) => each.kind === "load" && each.buffer === buffer);

export function mentionsBuffer(stmt: Stmt, buffer: string): boolean {
  if (stmt.kind === "store" && stmt.buffer === buffer) return true;
  if (ownExprs(stmt).some((expr) => reads(expr, buffer))) return true;
  return childrenOf(stmt).some((child) => mentionsBuffer(child, buffer));
}
