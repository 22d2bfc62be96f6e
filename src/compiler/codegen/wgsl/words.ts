// Bytes that a launch takes as the words that they lie in: operands of dot products, and the locals and copies that are nothing else.

import type { Expr, Stmt } from "../../ir/loop-ir.ts";
import { eachOperand } from "../../ir/operands.ts";
import { lanesOf, ownExprs, walkStmt } from "../../ir/visit.ts";
import { wordBytes } from "./elements.ts";

/** Names of the locals and of the buffers of which all that is read is read as words. */
export interface Words {
  readonly locals: ReadonlySet<string>;
  readonly buffers: ReadonlySet<string>;
}

/** A local or a load that is read, and by what: an instruction that takes words, a local, or something else. */
interface Read {
  readonly expr: Expr;
  readonly by: "instruction" | { readonly local: string } | null;
}

export function takenAsWords(body: Stmt): Words {
  const reads: Read[] = [];
  const note = (expr: Expr, by: Read["by"]): void => {
    if (expr.kind === "local" || expr.kind === "load") reads.push({ expr, by });
  };
  walkStmt(
    body,
    (stmt) => {
      const isLocal = stmt.kind === "define" || stmt.kind === "assign";
      for (const expr of ownExprs(stmt)) note(expr, isLocal ? { local: stmt.name } : null);
    },
    (expr) => {
      const isCall = expr.kind === "intrinsic";
      let at = 0;
      eachOperand(expr, (operand) => note(operand, isCall && at++ > 0 ? "instruction" : null));
    },
  );
  const locals = namesIn(reads, "local", ({ by }) => by === "instruction");
  const isWord = ({ by }: Read): boolean => by === "instruction" || (by !== null && locals.has(by.local));
  return { locals, buffers: namesIn(reads, "load", isWord) };
}

function namesIn(reads: readonly Read[], kind: "local" | "load", isWord: (read: Read) => boolean): ReadonlySet<string> {
  const [taken, others] = [new Set<string>(), new Set<string>()];
  for (const read of reads) {
    const { expr } = read;
    if (expr.kind !== kind) continue;
    const isTaken = isWord(read) && (expr.dtype === "i8" || expr.dtype === "u8") && lanesOf(expr) === wordBytes;
    (isTaken ? taken : others).add(expr.kind === "load" ? expr.buffer : (expr as { readonly name: string }).name);
  }
  return new Set([...taken].filter((name) => !others.has(name)));
}
