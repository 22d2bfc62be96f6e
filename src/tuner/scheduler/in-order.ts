// Serves one tuning after the other. Where each has a budget of its own and nothing is shared, the first is done soonest, and no
// two are open at the same time.

import type { SchedulingPolicy } from "./policy.ts";

export const inOrder: SchedulingPolicy = { name: "in-order", choose: () => 0 };
