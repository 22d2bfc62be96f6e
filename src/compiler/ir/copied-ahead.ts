// Buffers that copies in the background fill: what a sequence stores to before a batch of copies ends.

import type { Stmt } from "./loop-ir.ts";
import { walkStmt } from "./visit.ts";

/** Names of the buffers. */
export function copiedAhead(body: Stmt): ReadonlySet<string> {
  const ahead = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "seq") return;
    const last = stmt.body.findLastIndex((it) => it.kind === "sync" && (it.what === "commit" || it.what === "fill"));
    for (const each of stmt.body.slice(0, Math.max(0, last))) {
      walkStmt(each, (inner) => {
        if (inner.kind === "store") ahead.add(inner.buffer);
      });
    }
  });
  return ahead;
}

/** Slots of the buffers that boxes fill, by their names. */
export function filledByBoxes(body: Stmt): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "seq") return;
    const last = stmt.body.findLast((it) => it.kind === "sync" && it.what === "fill");
    if (last?.kind !== "sync" || last.slots === undefined) return;
    for (const name of copiedAhead(stmt)) slots.set(name, last.slots);
  });
  return slots;
}
