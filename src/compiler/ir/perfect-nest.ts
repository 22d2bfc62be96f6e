// Statement → the loops of a perfect nest, outermost first, and the one statement in them; sequences of one are no matter.

import type { Block, For, Stmt, Store } from "./loop-ir.ts";

export interface PerfectNest {
  readonly loops: readonly For[];
  readonly leaf: Store | Block;
}

/** Perfect nest of a statement; null if there is more than one statement inside, or another than a store or a block. */
export function perfectNest(stmt: Stmt): PerfectNest | null {
  switch (stmt.kind) {
    case "for": {
      const inner = perfectNest(stmt.body);
      return inner && { loops: [stmt, ...inner.loops], leaf: inner.leaf };
    }
    case "seq":
      return stmt.body.length === 1 ? perfectNest(stmt.body[0]!) : null;
    case "store":
    case "block":
      return { loops: [], leaf: stmt };
    case "if":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
      return null;
  }
}
