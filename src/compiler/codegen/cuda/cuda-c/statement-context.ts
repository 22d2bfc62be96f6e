// State of the printer of one function: names, and what is known of its buffers and locals.

import type { BoxCopy } from "../plan/boxes.ts";
import type { Cluster } from "../plan/cluster.ts";
import type { KernelFacts } from "../plan/kernel-facts.ts";
import type { CudaContext } from "./expression.ts";

export interface StatementContext extends CudaContext, KernelFacts {
  /** Whether the code is that of the one thread that asks for boxes and computes nothing. */
  readonly isCopier: boolean;
  /** Groups that copy together; null: each copies for itself. */
  readonly cluster: Cluster | null;
  /** Name of the map of an array for boxes. */
  readonly mapOf: (array: string, shape: BoxCopy["shape"]) => string;
  readonly fresh: (stem: string) => string;
}
