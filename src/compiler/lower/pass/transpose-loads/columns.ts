// Vectors whose lanes are loaded one by one, and which of them lie near each other in memory: columns of a tile.

import { termsKey } from "../../../ir/affine.ts";
import { evaluatedAlways } from "../../../ir/evaluated.ts";
import { type Runs, runsOf } from "../../../ir/lane-windows.ts";
import type { Expr, Lanes, Load, Stmt } from "../../../ir/loop-ir.ts";
import { noRanges } from "../../../ir/ranges.ts";
import { simplifyAffine } from "../../../ir/simplify.ts";
import { ownExprs, someExpr } from "../../../ir/visit.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { operandsFirst } from "../../../support/graph.ts";

/** A vector whose lanes are loads of one buffer. */
export interface Column {
  readonly lanes: Lanes;
  readonly first: Load;
  /** Elements from the first lane to each. */
  readonly offsets: readonly number[];
  /** Text that columns of one tile have in common, and the place of this one among them. */
  readonly key: string;
  readonly at: number;
}

/** Columns near each other, as many as each has lanes. */
export interface Tile {
  /** By their place; those of one place together. */
  readonly columns: readonly (readonly Column[])[];
  /** Runs of memory that are loaded of each row. */
  readonly runs: Runs;
}

/** Fewest lanes of a column. */
export const leastLanes = 4;

/** Returns the columns that are loaded whenever the statement runs. */
export const columnsIn = (stmt: Stmt): readonly Column[] =>
  flatMap(ownExprs(stmt), (expr) =>
    flatMap(operandsFirst(expr, evaluatedAlways), (each: Expr) => {
      const column = each.kind === "lanes" ? columnOf(each) : null;
      return column ? [column] : [];
    }),
  );

function columnOf(lanes: Lanes): Column | null {
  const { elements, dtype } = lanes;
  if (dtype === "bool" || elements.length < leastLanes || !Number.isInteger(Math.log2(elements.length))) return null;
  const loads = elements.filter((each): each is Load => each.kind === "load" && each.active === null);
  const [first] = loads;
  const isWhole = loads.length === elements.length && loads.every(({ buffer }) => buffer === first!.buffer);
  if (!first || !isWhole || someExpr(first.indices[0]!, ({ kind }) => kind === "local" || kind === "load")) return null;
  const places = loads.map(({ indices: [index] }) => simplifyAffine(index!, noRanges));
  const [{ terms, constant: at }] = places as [(typeof places)[0]];
  const key = termsKey(terms);
  if (!places.every((place) => termsKey(place.terms) === key)) return null;
  const offsets = places.map(({ constant }) => constant - at);
  return { lanes, first, offsets, key: `${first.buffer} ${key} ${offsets}`, at };
}

/** Finds the tiles. Where columns are no multiple of a tile, the last two tiles have some in common. */
export const tilesOf = (columns: readonly Column[]): readonly Tile[] =>
  flatMap([...grouped(columns, ({ key }) => key).values()], (all) => {
    const places = grouped(all, ({ at }) => at);
    const count = all[0]!.offsets.length;
    return flatMap(neighbours([...places.keys()].toSorted((a, b) => a - b)), (near) =>
      flatMap(startsIn(near.length, count), (start) => {
        const chosen = near.slice(start, start + count);
        const runs = runsOf(chosen.map((at) => at - chosen[0]!));
        return runs?.width === count ? [{ columns: chosen.map((at) => places.get(at)!), runs }] : [];
      }),
    );
  });

function grouped<Key>(columns: readonly Column[], keyOf: (column: Column) => Key): ReadonlyMap<Key, readonly Column[]> {
  const groups = new Map<Key, Column[]>();
  for (const column of columns) {
    const known = groups.get(keyOf(column));
    if (known) known.push(column);
    else groups.set(keyOf(column), [column]);
  }
  return groups;
}

/** Most elements from one column to the next: a few of them are in one line of the cache. */
const farthest = 4;

/** Parts of the numbers in which each is near the one before. */
function neighbours(sorted: readonly number[]): readonly (readonly number[])[] {
  const parts: number[][] = [];
  for (const value of sorted) {
    const last = parts.at(-1);
    if (last && value - last.at(-1)! <= farthest) last.push(value);
    else parts.push([value]);
  }
  return parts;
}

const startsIn = (length: number, count: number): readonly number[] =>
  length < count
    ? []
    : Array.from({ length: Math.ceil(length / count) }, (_, at) => Math.min(at * count, length - count));
