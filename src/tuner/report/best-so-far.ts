// Progress of a tuning: its improvements as a step function, the median of several, and the position at which a share
// of the best known was reached. One file for candidates and for seconds: both are positions on an axis.

/** Share of the best known, 0 … 1, that was reached at a position. Positions and shares rise from step to step. */
export type Step = readonly [at: number, share: number];

/** Returns the share at a position: 0 before the first step. */
export function shareAt(steps: readonly Step[], at: number): number {
  return steps.findLast(([from]) => from <= at)?.[1] ?? 0;
}

/** Returns the position where the share was reached; infinite: never. */
export function reachedAt(steps: readonly Step[], share: number): number {
  return steps.find(([, reached]) => reached >= share)?.[0] ?? Number.POSITIVE_INFINITY;
}

/** Returns the (lower) median of the runs at each position; a run that is over stays where it was. */
export function medianSteps(runs: readonly (readonly Step[])[]): readonly Step[] {
  const positions = [...new Set(runs.flatMap((steps) => steps.map(([at]) => at)))].sort((a, b) => a - b);
  const middle = (at: number): number => {
    const shares = runs.map((steps) => shareAt(steps, at)).sort((a, b) => a - b);
    return shares[(shares.length - 1) >> 1]!;
  };
  const medians = positions.map((at): Step => [at, middle(at)]);
  return medians.filter(([, share], at) => share > (medians[at - 1]?.[1] ?? 0));
}
