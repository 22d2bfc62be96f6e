// Flat statement → names of the buffers that it stores to, and of those that it loads from.

import type { Stmt } from "./loop-ir.ts";
import { walkStmt } from "./visit.ts";

export interface AccessedBuffers {
  readonly stored: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
}

export function accessedBuffers(body: Stmt): AccessedBuffers {
  const stored = new Set<string>();
  const loaded = new Set<string>();
  walkStmt(
    body,
    (stmt) => {
      if (stmt.kind === "store") stored.add(stmt.buffer);
    },
    (expr) => {
      if (expr.kind === "load") loaded.add(expr.buffer);
    },
  );
  return { stored, loaded };
}
