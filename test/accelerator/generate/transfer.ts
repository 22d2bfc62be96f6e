// Box of a copy between memory and a scratchpad → rectangles: a loop along rows where both sides lie element by element, a loop of
// rows, and the loops that are left taken apart.

import type { LoadOperation, Padding, Scratchpad, StoreOperation } from "../isa/instruction.ts";
import { type Box, each, type Ranges, rangesWhere, within } from "./box.ts";
import type { Emitter } from "./emitter.ts";

export interface Load {
  readonly kind: "load";
  readonly scratchpad: Scratchpad;
  readonly buffer: string;
}

/** Places of the forms of a copy: what it does in the scratchpad and in memory, then its conditions. */
const [local, remote] = [0, 1];

/** @param conditions places of the forms that are not negative where there is an element; elsewhere there are zeros */
export function emitLoad(emitter: Emitter, load: Load, box: Box, conditions: readonly number[]): void {
  const { columns, rows, other } = shapeOf(box);
  if (other !== null) {
    for (const part of each(box, other)) emitLoad(emitter, load, part, conditions);
    return;
  }
  const present = rangesWhere(box, conditions);
  const origin = present ? within(box, present) : null;
  const [across, down] = [paddingOf(box, present, columns), paddingOf(box, present, rows)];
  const padding: Padding = { above: down.before, below: down.after, left: across.before, right: across.after };
  const operation: LoadOperation = {
    ...load,
    offset: origin?.at[remote] ?? 0,
    address: box.at[local] ?? 0,
    rows: present ? down.count : 0,
    columns: present ? across.count : 0,
    stride: present ? (box.loops[rows]?.steps[remote] ?? 0) : 0,
    pitch: box.loops[rows]?.steps[local] ?? box.loops[columns]?.count ?? 1,
    padding,
  };
  emitter.emit(operation);
}

export function emitStore(emitter: Emitter, buffer: string, box: Box): void {
  const { columns, rows, other } = shapeOf(box);
  if (other !== null) {
    for (const part of each(box, other)) emitStore(emitter, buffer, part);
    return;
  }
  const operation: StoreOperation = {
    kind: "store",
    scratchpad: "sums",
    buffer,
    offset: box.at[remote] ?? 0,
    address: box.at[local] ?? 0,
    rows: box.loops[rows]?.count ?? 1,
    columns: box.loops[columns]?.count ?? 1,
    stride: box.loops[rows]?.steps[remote] ?? 0,
    pitch: box.loops[rows]?.steps[local] ?? box.loops[columns]?.count ?? 1,
  };
  emitter.emit(operation);
}

/** The loops along and across the rows of a rectangle, by place (−1: one iteration), and the outermost of those left; null: none. */
function shapeOf({ loops }: Box): { readonly columns: number; readonly rows: number; readonly other: number | null } {
  const columns = loops.findIndex(({ steps }) => steps[local] === 1 && steps[remote] === 1);
  const rest = [...loops.keys()].filter((place) => place !== columns);
  const most = Math.max(...rest.map((place) => loops[place]?.count ?? 0));
  const rows = rest.find((place) => loops[place]?.count === most) ?? -1;
  return { columns, rows, other: rest.find((place) => place !== rows) ?? null };
}

interface Line {
  readonly before: number;
  readonly count: number;
  readonly after: number;
}

/** Elements of a loop, and how many are padding on both sides; without any element all are padding after it. */
function paddingOf({ loops }: Box, present: Ranges | null, place: number): Line {
  const count = loops[place]?.count ?? 1;
  const range = present?.[place];
  if (!present) return { before: 0, count: 0, after: count };
  return range
    ? { before: range.from, count: range.to - range.from, after: count - range.to }
    : { before: 0, count, after: 0 };
}
