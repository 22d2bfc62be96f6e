// More variables than values, all different: propagation sees nothing wrong until nearly all are fixed.

import type { ConstraintModel } from "../../../src/tuner/constraint/constraint.ts";

/** `holes` + 1 loops that take `holes` places, no two the same. */
export function pigeonhole(holes: number): ConstraintModel {
  const names = Array.from({ length: holes + 1 }, (_, at) => `p${at}`);
  const pairs = names.flatMap((left, at) => names.slice(at + 1).map((right) => [left, right] as const));
  return {
    variables: names.map((name) => ({ name, domain: Array.from({ length: holes }, (_, at) => at), key: true })),
    constraints: pairs.map(([left, right]) => ({
      kind: "not-equal",
      left,
      right,
      why: `${left} and ${right} have different places`,
      role: "limit",
    })),
  };
}
