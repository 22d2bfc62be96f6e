// Loops marked "unrolled" → their bodies one after another, the variable a constant in each.
//
//   for i in 0..2 (unrolled): C[i*8] = A[i]   →   C[0] = A[0]; C[8] = A[1]

import { assume } from "../../ir/compare.ts";
import type { For, Stmt } from "../../ir/loop-ir.ts";
import { noRanges, type Ranges, withRange } from "../../ir/ranges.ts";
import { isNothing, seqOf, simplifyExpr, simplifyStmt } from "../../ir/simplify.ts";
import { isGridLoop } from "../../ir/thread-axes.ts";
import { updateFor, updateIf } from "../../ir/update.ts";
import { mapShared } from "../../ir/visit.ts";
import type { Pass } from "./pass.ts";

/** Most statements that one loop may become: more of them no instruction cache likes, and no compiler. */
const maxStatements = 1024;

export const unroll: Pass = {
  name: "unroll",
  run: (func) => ({ ...func, body: unrollIn(func.body, noRanges) }),
};

function unrollIn(stmt: Stmt, ranges: Ranges): Stmt {
  switch (stmt.kind) {
    case "for":
      return unrollLoop(stmt, ranges);
    case "seq":
      return seqOf(
        mapShared(stmt.body, (each) => unrollIn(each, ranges)),
        stmt,
      );
    case "if":
      return unrollIf(stmt, ranges);
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return simplifyStmt(stmt, ranges);
  }
}

function unrollIf(stmt: Stmt & { readonly kind: "if" }, ranges: Ranges): Stmt {
  const condition = simplifyExpr(stmt.condition, ranges);
  if (condition.kind === "const" && condition.value !== 0) return unrollIn(stmt.then, ranges);
  if (condition.kind === "const") return stmt.else ? unrollIn(stmt.else, ranges) : seqOf([]);
  const yes = unrollIn(stmt.then, assume(condition, ranges));
  return updateIf(stmt, { condition, then: yes, else: stmt.else && unrollIn(stmt.else, ranges) });
}

function unrollLoop(loop: For, ranges: Ranges): Stmt {
  if ((loop.extent === 1 && !isGridLoop(loop)) || isSmall(loop)) {
    const copies: Stmt[] = [];
    for (let at = 0; at < loop.extent; at++) copies.push(unrollIn(loop.body, withRange(ranges, loop.name, at, at)));
    return seqOf(copies);
  }
  const body = unrollIn(loop.body, withRange(ranges, loop.name, 0, loop.extent - 1));
  if (isNothing(body)) return body;
  return updateFor(loop, { mark: loop.mark === "unrolled" ? "serial" : loop.mark, body });
}

const isSmall = (loop: For): boolean => loop.mark === "unrolled" && statementsAfter(loop) <= maxStatements;

/** Number of statements once everything inside is unrolled. */
function statementsAfter(stmt: Stmt): number {
  switch (stmt.kind) {
    case "for": {
      const inside = statementsAfter(stmt.body);
      return stmt.mark === "unrolled" && inside * stmt.extent <= maxStatements * 2 ? inside * stmt.extent : inside;
    }
    case "seq":
      return stmt.body.reduce((sum, each) => sum + statementsAfter(each), 0);
    case "if":
      return statementsAfter(stmt.then) + (stmt.else ? statementsAfter(stmt.else) : 0);
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return 1;
  }
}
