// A store of a scalar choice → a choice of stores, which can leave loops and join its neighbours. Twelve accumulators that
// start from 0 or from memory are then two straight lines instead of twelve forks, which C compilers thread into each other.
//
//   acc[0] = k0 == 0 ? 0 : C[0]          if (k0 == 0) acc[0] = 0
//                                   →    else         acc[0] = C[0]

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, Stmt } from "../../ir/loop-ir.ts";
import { updateStore } from "../../ir/update.ts";
import { mapStmt, someExpr } from "../../ir/visit.ts";
import type { Pass } from "./pass.ts";

export const branchSelects: Pass = {
  name: "branch-selects",
  run(func) {
    const body = mapStmt(func.body, branch);
    return body === func.body ? func : { ...func, body };
  },
};

function branch(stmt: Stmt): Stmt {
  if (stmt.kind !== "store" || stmt.value.kind !== "select") return stmt;
  const { condition, then: yes, else: no } = stmt.value;
  if (lanesOf(condition) > 1 || readsMemory(condition)) return stmt;
  const storeOf = (value: Expr): Stmt => branch(updateStore(stmt, { value }));
  return { kind: "if", condition, then: storeOf(yes), else: storeOf(no) };
}

/** Says whether a condition reads memory or a local, which may change between one store and the next. */
const readsMemory = (condition: Expr): boolean =>
  someExpr(condition, (expr) => expr.kind === "load" || expr.kind === "local");
