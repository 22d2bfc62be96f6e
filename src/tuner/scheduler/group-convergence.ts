// Convergence rule of a tuning in a group with a total. A tuning outside of a group ends with its first round if it
// reaches the time that its relatives let expect. In a group the relatives may themselves have had only eight
// candidates, so that rule is left out. The policy gives no seconds to a task that gains nothing.

import type { Target } from "../../compiler/index.ts";
import { type ConvergenceRule, convergenceFor } from "../search/state/convergence.ts";

export function groupConvergence(target: Target): ConvergenceRule {
  const { trials, leastGain } = convergenceFor(target);
  return { trials, leastGain };
}
