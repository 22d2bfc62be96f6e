// Vectors whose lanes are loaded one by one, and that lie near each other in memory → the rows of which they are the columns, transposed in
// registers.
//
//   Y[0..4]   = A[0, 97, 194, 291]            r0 = A[0..4]; r1 = A[97..101]; r2 = A[194..198]; r3 = A[291..295]
//   Y[50..54] = A[1, 98, 195, 292]      →     four shuffles of pairs of these, and four of pairs of what these are
//   …                                         Y[0..4] = c0; Y[50..54] = c1; …

import { add, constInt, define, localFrom, pick, ramp } from "../../ir/build.ts";
import { bytesOfElement } from "../../ir/element-bytes.ts";
import { rebuild } from "../../ir/graph.ts";
import type { Runs } from "../../ir/lane-windows.ts";
import type { Define, Expr, Load, Stmt } from "../../ir/loop-ir.ts";
import { noRanges } from "../../ir/ranges.ts";
import { simplifyIndex } from "../../ir/simplify.ts";
import { isLeaf } from "../../ir/statements.ts";
import { updateLoad } from "../../ir/update.ts";
import { mapChildren, mapOperands, mapOwnExprs } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { type Fresh, freshNames } from "./leaves.ts";
import type { Pass } from "./pass.ts";
import { columnsIn, leastLanes, type Tile, tilesOf } from "./transpose-loads/columns.ts";
import { transposingStages } from "./transpose-loads/stages.ts";

export const transposeLoads: Pass = {
  name: "transpose-loads",
  run(func) {
    const body = transposeIn(func.body, freshNames(func));
    return body === func.body ? func : { ...func, body };
  },
};

function transposeIn(stmt: Stmt, fresh: Fresh): Stmt {
  const inner = mapChildren(stmt, (child) => transposeIn(child, fresh));
  if (inner.kind !== "seq" || inner.body.length < leastLanes || !inner.body.every(isLeaf)) return inner;
  const stored = new Set(flatMap(inner.body, (each) => (each.kind === "store" ? [each.buffer] : [])));
  const columns = flatMap(inner.body, columnsIn).filter(({ first }) => !stored.has(first.buffer));
  const locals = new Map<Expr, Define>();
  const defines = flatMap(tilesOf(columns), (tile) => transposed(tile, locals, fresh));
  return defines.length === 0
    ? inner
    : { kind: "seq", body: [...defines, ...inner.body.map((each) => withLocals(each, locals))] };
}

/** Loads the rows of a tile, and transposes them. Adds the local of each column. */
function transposed({ columns, runs }: Tile, locals: Map<Expr, Define>, fresh: Fresh): readonly Define[] {
  const { first, offsets } = columns[0]![0]!;
  let vectors: readonly Define[] = offsets.map((offset) => define(fresh("row"), rowOf(first, offset, runs)));
  const defines = [...vectors];
  for (const stage of transposingStages(offsets.length, bytesOfElement(first.dtype))) {
    const before = vectors.map(localFrom);
    vectors = before.map((_, at) => {
      const { parts, picks } = stage(at);
      const pair = parts.map((part) => before[part]!);
      return define(fresh("turned"), pick(pair, picks));
    });
    defines.push(...vectors);
  }
  for (const [at, column] of vectors.entries()) for (const { lanes } of columns[at]!) locals.set(lanes, column);
  return defines;
}

/** Elements of a row, so many behind the first of the first one: as they lie, or picked from several vectors. */
function rowOf(first: Load, offset: number, { starts, width, picks }: Runs): Expr {
  const loads = starts.map((start) => {
    const place = simplifyIndex(add(first.indices[0]!, constInt(offset + start)), noRanges);
    return updateLoad(first, { indices: [ramp(place, 1, width)] });
  });
  const [only] = loads;
  return loads.length === 1 && only ? only : pick(loads, picks);
}

const withLocals = (stmt: Stmt, locals: ReadonlyMap<Expr, Define>): Stmt =>
  mapOwnExprs(stmt, (expr) =>
    rebuild(expr, (each, map) => {
      const column = locals.get(each);
      return column ? localFrom(column) : mapOperands(each, map);
    }),
  );
