// A schedule that gives loops to the threads of a grid, for a target that has none → a Diagnostic, thrown.

import type { For, LoopFunc } from "../ir/loop-ir.ts";
import { printStmt } from "../ir/print.ts";
import { walkStmt } from "../ir/visit.ts";
import { DiagnosticError } from "../support/diagnostic.ts";
import type { Target } from "../target/target.ts";

export function refuseThreads({ body }: LoopFunc, target: Target): void {
  const bound: For[] = [];
  walkStmt(body, (stmt) => {
    if (stmt.kind === "for" && /^(block|thread)Idx\./.test(stmt.mark)) bound.push(stmt);
  });
  const [first] = bound;
  if (!first) return;
  throw new DiagnosticError({
    code: "bind.no-threads",
    message: `${first.name} is bound to ${first.mark}, ${target.name} has no grid of threads`,
    loc: null,
    hint: "mark the loop parallel instead",
    detail: printStmt(body, { marked: bound.map(({ name }) => name) }),
  });
}
