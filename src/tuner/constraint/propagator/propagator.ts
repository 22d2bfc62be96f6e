// The contract of a propagator: a relation between variables that takes impossible values out of their domains.

import type { VariableId } from "../normal-form.ts";

export interface Propagator {
  /** Variables whose changes wake it. */
  readonly variables: readonly VariableId[];
  /** Whether a second run straight after the first would change nothing. */
  readonly idempotent: boolean;
  /**
   * Shrinks domains; false when one became empty. With all variables fixed it is exact: true if and only if the
   * relation holds.
   */
  readonly run: () => boolean;
  /** Whether it holds for all values that are left. Absent: not known before all variables are fixed. */
  readonly isEntailed?: () => boolean;
}
