// Statements of a sequence → the straight lines among them, in which a load gives the same wherever it stands.

import type { Stmt } from "../ir/loop-ir.ts";

export const isPlain = ({ kind }: Stmt): boolean => kind === "define" || kind === "assign" || kind === "store";

/**
 * Cuts statements into lines, which end with a loop, a condition, a barrier, or a store to a buffer that is loaded. A statement that is
 * not plain is a line by itself.
 */
export function straightLines(
  stmts: readonly Stmt[],
  isLoaded: (buffer: string) => boolean,
): readonly (readonly Stmt[])[] {
  const lines: Stmt[][] = [];
  let isOpen = false;
  for (const stmt of stmts) {
    if (isOpen && isPlain(stmt)) lines.at(-1)!.push(stmt);
    else lines.push([stmt]);
    isOpen = isPlain(stmt) && !(stmt.kind === "store" && isLoaded(stmt.buffer));
  }
  return lines;
}
