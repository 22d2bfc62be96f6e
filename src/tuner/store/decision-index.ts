// Decisions from outside, by the keys under which a kernel asks for them: its own, then that of its class of machines.

import type { SharedDecision } from "./exchange.ts";

export interface DecisionIndex {
  readonly byKey: ReadonlyMap<string, SharedDecision>;
  /** The first of each class. */
  readonly byClass: ReadonlyMap<string, SharedDecision>;
}

export function indexDecisions(decisions: readonly SharedDecision[]): DecisionIndex {
  const byClass = new Map<string, SharedDecision>();
  for (const decision of decisions) {
    const name = decision.tunedFor?.class;
    if (name !== undefined && !byClass.has(name)) byClass.set(name, decision);
  }
  return { byKey: new Map(decisions.map((decision) => [decision.key, decision])), byClass };
}
