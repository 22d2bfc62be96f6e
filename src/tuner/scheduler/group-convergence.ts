// When a tuning in a group with a total has converged. Relatives let expect a time, and elsewhere a tuning that reaches it
// ends with its first round; but relatives in the same group may have had eight candidates themselves. The policy sees to
// it that nobody gets seconds who gains nothing.

import { type ConvergenceRule, defaultConvergence } from "../search/convergence.ts";

export const groupConvergence: ConvergenceRule = {
  trials: defaultConvergence.trials,
  leastGain: defaultConvergence.leastGain,
};
