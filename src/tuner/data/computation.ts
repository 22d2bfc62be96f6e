// Way in which a result was computed, as far as the check of the result depends on it.

import type { ComputeDef } from "../../compiler/index.ts";

export interface Computation {
  /** Definition that is computed: the operator as it is written, or another definition of the same results. */
  readonly op: ComputeDef;
  /**
   * Sums of the operator as it is written that are computed otherwise: stage → bound of their own roundings, in ulp of
   * their largest result. All others have that of a sum.
   */
  readonly roundings: ReadonlyMap<string, number>;
}

export const asWritten = (op: ComputeDef): Computation => ({ op, roundings: new Map() });
