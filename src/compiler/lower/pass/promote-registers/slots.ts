// The slots of a register buffer: the elements or vectors that its accesses name, if no two of them overlap in part. Of a tile that an
// instruction holds in one vector, row after row, an access may name a part, as what moves it goes by the rows of a matrix.

import { byteSize } from "../../../expr/dtype.ts";
import type { Part } from "../../../intrinsic/vector-part.ts";
import { localOf } from "../../../ir/build.ts";
import { exprKey } from "../../../ir/expr-key.ts";
import { isOnFragments } from "../../../ir/fragment.ts";
import type { Buffer, Expr, IntrinsicCall, Local, Registers, Stmt } from "../../../ir/loop-ir.ts";
import { perfectNest } from "../../../ir/perfect-nest.ts";
import { someExpr, varsIn, walkStmt } from "../../../ir/visit.ts";

/** Most locals of a buffer: no compiler keeps more in registers. */
const maxSlots = 128;

export interface Slot {
  /** Its first element. */
  readonly base: number;
  readonly lanes: number;
  /** The `active` of all stores to it, as keys; "" for none. */
  readonly masks: ReadonlySet<string>;
  /** Registers of its local: a fragment is what instructions on fragments take of a buffer, and no other part of it. */
  readonly memory: Registers;
}

export interface Slots {
  readonly buffer: Buffer;
  /** Slots by their first elements. */
  readonly slots: ReadonlyMap<number, Slot>;
  /** Lanes of the vectors that may be accessed in parts; 1: none may. */
  readonly tile: number;
  /** Whether each element is a slot of its own, although some loads are of several. */
  readonly isApart: boolean;
  /** Ending of the names of the slots' locals; a buffer may be promoted in several places. */
  readonly suffix: string;
}

/** Elements `base` to `base + lanes`. */
export interface SlotRange {
  readonly base: number;
  readonly lanes: number;
}

/** Returns the elements that an access names; null if its index is not constant. */
export function placeOf(indices: readonly Expr[]): SlotRange | null {
  const index = indices[0]!;
  if (index.kind === "const") return { base: index.value, lanes: 1 };
  if (index.kind !== "ramp" || index.stride !== 1 || index.base.kind !== "const") return null;
  return { base: index.base.value, lanes: index.lanes };
}

type Visit = (indices: readonly Expr[], mask: string | null) => void;

/** Calls `visit` for every access, the mask null for loads. */
function eachAccess(body: Stmt, buffer: string, visit: Visit): void {
  const noteStore = (stmt: Stmt) => {
    if (stmt.kind === "store" && stmt.buffer === buffer) visit(stmt.indices, stmt.active ? exprKey(stmt.active) : "");
  };
  walkStmt(body, noteStore, (expr) => expr.kind === "load" && expr.buffer === buffer && visit(expr.indices, null));
}

/** All places that accesses name; null if one is not constant. */
export function placesIn(body: Stmt, buffer: string): readonly SlotRange[] | null {
  const places: (SlotRange | null)[] = [];
  eachAccess(body, buffer, (indices) => places.push(placeOf(indices)));
  const known = places.filter((place) => place !== null);
  return known.length === places.length ? known : null;
}

/** How the registers of a machine may be used. */
export interface RegisterUse {
  /** Size of a vector register. */
  readonly vectorBytes: number;
  /** Whether a vector may be put together of elements that were stored one by one: threads have registers of single elements. */
  readonly joinsElements: boolean;
}

/** Slots of a buffer whose places are all constant; null if accesses overlap in part, and cannot be of single elements. */
export const slotsOf = (body: Stmt, buffer: Buffer, suffix: string, use: RegisterUse): Slots | null =>
  wholeSlots(body, buffer, suffix, use.vectorBytes) ?? (use.joinsElements ? singleSlots(body, buffer, suffix) : null);

/** Slots of the elements of a buffer, where all stores are of one element. */
function singleSlots(body: Stmt, buffer: Buffer, suffix: string): Slots | null {
  const slots = new Map<number, Slot & { readonly masks: Set<string> }>();
  let fits = buffer.memory === "register";
  eachAccess(body, buffer.name, (indices, mask) => {
    const { base, lanes } = placeOf(indices)!;
    fits &&= mask === null || lanes === 1;
    for (let element = base; element < base + lanes; element++) {
      const slot = slots.get(element) ?? { base: element, lanes: 1, masks: new Set(), memory: "register" };
      if (mask !== null) slot.masks.add(mask);
      slots.set(element, slot);
    }
  });
  return fits && slots.size <= maxSlots ? { buffer, slots, tile: 1, isApart: true, suffix } : null;
}

function wholeSlots(body: Stmt, buffer: Buffer, suffix: string, vectorBytes: number): Slots | null {
  const slots = new Map<number, Slot & { readonly masks: Set<string> }>();
  const taken = takenIn(body, buffer);
  const tile = tileIn(body, buffer, vectorBytes);
  const memoryAt = (base: number): Registers => (taken.has(base) ? "fragment" : "register");
  let fits = true;
  eachAccess(body, buffer.name, (indices, mask) => {
    const { base, lanes } = wholeOf(placeOf(indices)!, tile);
    const slot = slots.get(base) ?? { base, lanes, masks: new Set(), memory: memoryAt(base) };
    fits &&= slot.lanes === lanes;
    if (mask !== null) slot.masks.add(mask);
    slots.set(base, slot);
  });
  const inOrder = [...slots.values()].sort((a, b) => a.base - b.base);
  fits &&= inOrder.every(({ base }, at) => at === 0 || inOrder[at - 1]!.base + inOrder[at - 1]!.lanes <= base);
  return fits && slots.size <= maxSlots ? { buffer, slots, tile, isApart: false, suffix } : null;
}

/** First elements of what instructions on fragments take of a buffer. */
function takenIn(body: Stmt, { name, memory }: Buffer): ReadonlySet<number> {
  const taken = new Set<number>();
  if (memory !== "fragment") return taken;
  const note = (expr: Expr): void => {
    if (expr.kind === "load" && expr.buffer === name) taken.add(placeOf(expr.indices)!.base);
  };
  walkStmt(
    body,
    () => {},
    (expr) => isOnFragments(expr) && expr.operands.forEach(note),
  );
  return taken;
}

/** Lanes of the tiles, in rows, that instructions take of a buffer as vectors; 1: they take none. */
function tileIn(body: Stmt, { name, dtype, memory }: Buffer, vectorBytes: number): number {
  let tile = 1;
  if (memory !== "register") return tile;
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind !== "intrinsic" || !isInRows(expr)) return;
      const [result] = expr.operands;
      const isVector = expr.lanes * byteSize[dtype] <= vectorBytes;
      if (isVector && result?.kind === "load" && result.buffer === name) tile = expr.lanes;
    },
  );
  return tile;
}

/** Says whether the result of a call has rows: two loops run over it. */
function isInRows({ meaning }: IntrinsicCall): boolean {
  const nest = perfectNest(meaning.body);
  return nest?.leaf.kind === "store" && varsIn(nest.leaf.indices[0]!).size > 1;
}

/** The tile that a place is in; the place itself, if it is in none. */
function wholeOf(place: SlotRange, tile: number): SlotRange {
  const start = place.base % tile;
  return start + place.lanes > tile ? place : { base: place.base - start, lanes: tile };
}

/** The slot that an element is in, whether an access begins there or in its tile. */
export const slotAt = ({ slots, tile }: Slots, element: number): Slot | undefined =>
  slots.get(element) ?? slots.get(element - (element % tile));

/** The slot that an access names, or names a part of. */
export const slotOf = (slots: Slots, indices: readonly Expr[]): Slot => slotAt(slots, placeOf(indices)!.base)!;

/** The part of its slot that an access names; null: all of it. */
export function partIn({ base, lanes }: Slot, indices: readonly Expr[]): Part | null {
  const place = placeOf(indices)!;
  return place.lanes === lanes ? null : { start: place.base - base, lanes: place.lanes };
}

export const slotLocal = ({ buffer, suffix }: Slots, { base, lanes }: Slot): Local =>
  localOf(`${buffer.name}_${base}${suffix}`, buffer.dtype, lanes);

export const reads = (expr: Expr, buffer: string): boolean =>
  someExpr(expr, (each) => each.kind === "load" && each.buffer === buffer);
