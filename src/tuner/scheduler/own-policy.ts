// The policy that gives out rounds: one of ours by name, or a user's own, whose answers are checked.

import { aFunction, aName, badAnswer, callOwn, malformed, requireFields } from "../../compiler/index.ts";
import { type PolicyName, policies } from "./policies.ts";
import type { SchedulingPolicy } from "./policy.ts";

/** @throws DiagnosticError `extension.malformed`; later, when choosing, `extension.threw` and `extension.bad-answer` */
export function policyOf(policy: PolicyName | SchedulingPolicy): SchedulingPolicy {
  if (typeof policy !== "string") return ownPolicy(policy);
  if (Object.hasOwn(policies, policy)) return policies[policy];
  throw malformed(
    `there is no policy "${policy}"`,
    `there are ${Object.keys(policies).join(", ")}, or an object of yours`,
  );
}

function ownPolicy(policy: SchedulingPolicy): SchedulingPolicy {
  requireFields<SchedulingPolicy>("policy", policy, { name: aName, choose: aFunction });
  const { name } = policy;
  const what = `choose of policy "${name}"`;
  return {
    name,
    choose(tasks) {
      const at: unknown = callOwn(what, () => policy.choose(tasks));
      if (typeof at === "number" && Number.isInteger(at) && at >= 0 && at < tasks.length) return at;
      throw badAnswer(what, at, `the index of one of ${tasks.length} tasks`);
    },
  };
}
