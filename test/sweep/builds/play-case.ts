// One case: what is wrong with it, and the simplest case that is wrong in the same way.

import { checkCase, type Problem } from "./check-case.ts";
import type { BuildCase } from "./dimensions.ts";
import { simplify } from "./draw-case.ts";
import { hasFailed, runCase } from "./run-case.ts";
import type { WarmProjects } from "./warm.ts";

export interface Played {
  readonly problems: readonly Problem[];
  /** Whether it was built, rather than refused. */
  readonly succeeded: boolean;
}

export async function playCase(drawn: BuildCase, warm: WarmProjects, seed: number): Promise<Played> {
  const seen = await runCase(drawn, warm, seed);
  return { problems: checkCase(seen), succeeded: !seen.first.some(hasFailed) };
}

/** @param problems of the case; one that violates the first of these invariants fails as it does */
export function simplestOf(
  drawn: BuildCase,
  problems: readonly Problem[],
  warm: WarmProjects,
  seed: number,
): Promise<BuildCase> {
  const [first] = problems;
  return simplify(drawn, async (simpler) =>
    (await playCase(simpler, warm, seed)).problems.some(({ invariant }) => invariant === first?.invariant),
  );
}
