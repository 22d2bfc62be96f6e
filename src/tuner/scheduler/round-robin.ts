// Gives each tuning a round in turn: the one with the fewest goes on.

import { greatest, type SchedulingPolicy } from "./policy.ts";

export const roundRobin: SchedulingPolicy = {
  name: "round-robin",
  choose: (tasks) => greatest(tasks.map(({ rounds }) => -rounds.length)),
};
