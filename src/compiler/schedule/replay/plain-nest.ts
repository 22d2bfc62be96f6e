// A scheduled nest without what has no meaning: loops of one iteration are left out, the others are numbered in the order
// in which they stand. Two nests that are the same but for that are equal then, as text.
//
//   for C.i.0 in 0..1               for #0 in 0..6
//     for C.i.1 in 0..6        →      block C (i = #0 in 0..6)
//       block C (i = C.i.0*6 + C.i.1 in 0..6)

import { constInt, variable } from "../../ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { printFunc } from "../../ir/print.ts";
import { simplifyExpr } from "../../ir/simplify.ts";
import { updateFor } from "../../ir/update.ts";
import { mapBlockExprs, mapStmt } from "../../ir/visit.ts";
import { editStmt, loopsIn, mapBlocks, substituteInBlocks } from "../nest.ts";

export function printPlain(nest: LoopFunc): string {
  const loops = loopsIn(nest.body);
  const left = loops.filter(({ extent }) => extent !== 1).map(({ name }) => name);
  const names = new Map(left.map((name, at) => [name, `#${at}`]));
  const places = loops.map(({ name }): [string, Expr] => {
    const renamed = names.get(name);
    return [name, renamed === undefined ? constInt(0) : variable(renamed)];
  });
  const bound = substituteInBlocks(withoutUnits(nest.body), new Map(places));
  const simple = mapBlocks(bound, (block) => mapBlockExprs(block, (expr) => simplifyExpr(expr)));
  const renamed = mapStmt(simple, (stmt) =>
    stmt.kind === "for" ? updateFor(stmt, { name: names.get(stmt.name)! }) : stmt,
  );
  return printFunc({ ...nest, body: renamed });
}

const withoutUnits = (root: Stmt): Stmt =>
  editStmt(root, (stmt) => (stmt.kind === "for" && stmt.extent === 1 ? withoutUnits(stmt.body) : null));
