// The policies by name.

import { gradientPolicy } from "./gradient.ts";
import { inOrder } from "./in-order.ts";
import type { SchedulingPolicy } from "./policy.ts";
import { roundRobin } from "./round-robin.ts";

export type PolicyName = "in-order" | "round-robin" | "gradient";

export const policies: { readonly [Name in PolicyName]: SchedulingPolicy } = {
  "in-order": inOrder,
  "round-robin": roundRobin,
  gradient: gradientPolicy(),
};
