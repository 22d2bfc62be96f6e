// State of the printer of one function: names, and what is known of its buffers and locals.

import type { CudaContext } from "./expression.ts";

export interface StatementContext extends CudaContext {
  /** Memory of the group that copies in the background fill. */
  readonly ahead: ReadonlySet<string>;
  /** Buffers that lie in the memory of the group. */
  readonly group: ReadonlySet<string>;
  /** Operand that a local on a tile is of its products: "left", "right"; others are sums. */
  readonly operands: ReadonlyMap<string, "left" | "right">;
  readonly fresh: (stem: string) => string;
}
