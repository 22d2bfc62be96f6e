// When a tuning in a group with a total has converged. Relatives let expect a time, and elsewhere a tuning that reaches it
// ends with its first round; but relatives in the same group may have had eight candidates themselves. The policy sees to
// it that nobody gets seconds who gains nothing.

import type { Target } from "../../compiler/index.ts";
import { type ConvergenceRule, convergenceFor } from "../search/convergence.ts";

export function groupConvergence(target: Target): ConvergenceRule {
  const { trials, leastGain } = convergenceFor(target);
  return { trials, leastGain };
}
