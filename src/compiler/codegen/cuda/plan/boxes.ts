// Copies of boxes by the tensor memory accelerator (TMA), as statements name them. One thread asks for a tile of an array in the memory of the
// device, which arrives in panels of the memory of the group, its pieces of 16 bytes swapped as products want them. Where it arrives is counted
// by a barrier in that memory (mbarrier), one a slot.

import type { DType } from "../../../expr/dtype.ts";
import { groupTile } from "../../../intrinsic/cuda-wgmma.ts";
import { type Affine, fromAffine, toAffine } from "../../../ir/affine.ts";
import { add, constInt, floorDiv, mod, mul } from "../../../ir/build.ts";
import type { Expr, Load, LoopFunc, Stmt, Store } from "../../../ir/loop-ir.ts";
import { lanesOf, walkStmt } from "../../../ir/visit.ts";
import { product } from "../../../support/integer-math.ts";
import { cannotRun } from "../../cannot.ts";
import { isMultiple } from "./aligned-run.ts";
import type { Cluster } from "./cluster.ts";
import type { BoxMap } from "./cuda-source.ts";
import { bytesOfElement } from "./elements.ts";
import { arraysOf, type KernelFacts } from "./kernel-facts.ts";

const panelBytes = 128;
/** Rows after which the pattern of swapped pieces begins anew, and the most rows of a box. */
const [patternRows, mostRows] = [8, 256];
/** Bytes of a barrier. */
const barrierBytes = 8;

const refuse = (why: string): never => {
  throw cannotRun("cuda", why, "tiles are copied to panels, ahead, by a loop of the whole group");
};

/** Says whether a store brings a tile of the memory of the device to that of the group. */
export const isBoxCopy = (
  { buffer, value }: Store,
  { group, global }: Pick<KernelFacts, "group" | "global">,
): boolean => value.kind === "load" && group.has(buffer) && global.has(value.buffer);

/** The boxes in which a tile is copied, which are alike and lie one above the other. */
export interface BoxCopy {
  /** Array that is copied from, and a box of it as a map has it. */
  readonly array: string;
  readonly shape: Pick<BoxMap, "columns" | "box">;
  /** Number of batches that take turns. */
  readonly slots: number;
  /** Index where the first box goes. */
  readonly to: Expr;
  /** Column and row of its first element. */
  readonly column: Expr;
  readonly row: Expr;
  readonly boxes: number;
  /** Rows and elements from one box to the next, and the bytes that arrive for each. */
  readonly rows: number;
  readonly elements: number;
  readonly bytes: number;
  /** Groups that get each box, of which each asks for a part that is its own; 1: no other group has a use for it. */
  readonly groups: number;
}

/** @param cluster groups that may copy together; null: none do */
export function boxCopyOf(
  stmt: Store,
  { filled, panels }: Pick<KernelFacts, "filled" | "panels">,
  cluster: Cluster | null,
): BoxCopy {
  const slots = filled.get(stmt.buffer);
  if (slots === undefined || !panels.has(stmt.buffer)) return refuse(`a tile of ${stmt.buffer} is copied at once`);
  const load = stmt.value as Load;
  const [to, from] = [stmt.indices[0]!, load.indices[0]!];
  const columns = groupTile.panel(load.dtype as DType);
  const lanes = lanesOf(load);
  const all = lanes / columns;
  if (to.kind !== "ramp" || from.kind !== "ramp" || stmt.active || load.active) return refuse("a tile is no box");
  const inner = from.base.kind === "ramp" ? from.base : from;
  const apart = inner === from ? columns : from.stride;
  const isOfRows = inner.stride === 1 && (inner === from ? all % 1 === 0 : inner.lanes === columns);
  const isRun = to.stride === 1 && to.base.kind !== "ramp" && isMultiple(to.base, patternRows * columns);
  // A row of the box ends before a row of the array does, as both are of whole panels.
  const isInRow = apart % columns === 0 && isMultiple(inner.base, columns);
  if (!isOfRows || !isRun || !isInRow || all % patternRows !== 0) return refuse(`a tile of ${load.buffer} is no box`);
  const rows = rowsOfBox(all);
  const parts = cluster?.isShared(inner.base) && rows % (cluster.groups * patternRows) === 0 ? cluster.groups : 1;
  const own = (perPart: number): Expr =>
    cluster && parts > 1 ? mul(cluster.rank, constInt(perPart / parts)) : constInt(0);
  const { column, row } = placeIn(inner.base, apart);
  return {
    array: load.buffer,
    shape: { columns: apart, box: [columns, rows / parts] },
    slots,
    to: add(to.base, own(rows * columns)),
    column,
    row: add(row, own(rows)),
    boxes: all / rows,
    rows,
    elements: rows * columns,
    bytes: rows * panelBytes,
    groups: parts,
  };
}

/** Rows of one of the boxes that a tile is copied in, which are alike. */
function rowsOfBox(rows: number): number {
  let parts = Math.ceil(rows / mostRows);
  while (rows % parts !== 0 || (rows / parts) % patternRows !== 0) parts++;
  return rows / parts;
}

/** The element of a flat index in rows of so many elements. */
function placeIn(index: Expr, apart: number): { readonly column: Expr; readonly row: Expr } {
  const { terms, constant } = toAffine(index);
  const whole = terms.filter(({ coefficient }) => coefficient % apart === 0);
  const first = Math.floor(constant / apart);
  const rest: Affine = { terms: terms.filter((term) => !whole.includes(term)), constant: constant - first * apart };
  const rows = whole.map((term) => ({ ...term, coefficient: term.coefficient / apart }));
  const left = fromAffine(rest);
  const row = add(fromAffine({ terms: rows, constant: first }), floorDiv(left, constInt(apart)));
  return { column: mod(left, constInt(apart)), row };
}

// ── barriers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Barriers of a launch: where boxes arrive, and where warps release the slots that a thread of its own fills. */
export interface SlotBarriers {
  readonly kind: "filled" | "free";
  readonly slots: number;
  /** Arrivals that end a phase. */
  readonly arrivals: number;
  /** Place of the first in the memory of the group, in bytes. */
  readonly start: number;
}

/** Numbers of slots of a launch, whose barriers its groups have. */
export function slotsIn(body: Stmt): readonly number[] {
  const slots = new Set<number>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "sync" && stmt.slots !== undefined) slots.add(stmt.slots);
  });
  return [...slots];
}

/**
 * Barriers behind the first bytes of the memory of a group, and where they end.
 *
 * @param warps number of warps that release slots; 0: nobody waits for that
 */
export function slotBarriers(
  all: readonly number[],
  start: number,
  warps: number,
): { readonly barriers: readonly SlotBarriers[]; readonly end: number } {
  let end = start;
  const begin = (kind: SlotBarriers["kind"], slots: number, arrivals: number): SlotBarriers => {
    const first = Math.ceil(end / barrierBytes) * barrierBytes;
    end = first + slots * barrierBytes;
    return { kind, slots, arrivals, start: first };
  };
  const barriers = all.flatMap((slots) => [
    begin("filled", slots, 1),
    ...(warps > 0 ? [begin("free", slots, warps)] : []),
  ]);
  return { barriers, end };
}

// ── maps ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Maps of one launch, which statements ask for as they are printed. */
export interface BoxMaps {
  readonly all: readonly BoxMap[];
  /** Number of the map of an array for boxes. */
  readonly numberOf: (array: string, shape: BoxCopy["shape"]) => number;
}

export function createBoxMaps(func: LoopFunc): BoxMaps {
  const all: BoxMap[] = [];
  return {
    all,
    numberOf(name, { columns, box }) {
      const array = arraysOf(func).findIndex((buffer) => buffer.name === name);
      const buffer = arraysOf(func)[array]!;
      const elementBytes = bytesOfElement(buffer.dtype) as 1 | 2;
      const rows = product(buffer.shape) / columns;
      if (!Number.isInteger(rows)) {
        throw cannotRun("cuda", `${name} is no whole rows of ${columns} elements`, "copy it by threads");
      }
      const map: BoxMap = { array, elementBytes, columns, rows, box };
      const known = all.findIndex((it) => JSON.stringify(it) === JSON.stringify(map));
      return known >= 0 ? known : all.push(map) - 1;
    },
  };
}
