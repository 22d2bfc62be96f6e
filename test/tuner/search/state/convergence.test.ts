import { expect, test } from "vitest";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import { searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { gainOfTrials, hasConverged } from "../../../../src/tuner/search/state/convergence.ts";
import { observe, type SearchState, startSearch } from "../../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../../src/tuner/search/strategy/strategies.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { space } from "../synthetic-task.ts";

/** One trial a round, with these times; null fails. */
function searched(times: readonly (number | null)[]): SearchState {
  const start = startSearch(searchSpace(space), boostedTrees());
  const candidates = strategies.random.propose(start, times.length, createRng(1));
  return times.reduce<SearchState>((state, ns, k) => {
    const timing = { medianNs: 0, minNs: ns ?? 0, p20Ns: 0, repeats: 1 };
    const measurement =
      ns === null ? ({ kind: "timed-out", deadlineMs: 5 } as const) : ({ kind: "ok", timing } as const);
    return observe(state, [{ candidate: candidates[k]!, measurement }]);
  }, start);
}

const rule = { trials: 2, leastGain: 0.01 };

test("the gain of the last trials is the share of the best time that they saved", () => {
  expect(gainOfTrials(searched([100, 80, 90, 60]), 2)).toBeCloseTo(0.25, 12);
  expect(gainOfTrials(searched([100, 80, 90, 85]), 2)).toBe(0);
  expect(gainOfTrials(searched([null, null, 90]), 1)).toBe(1);
});

test("a search has converged when its last trials saved less than 1 %", () => {
  expect(hasConverged(searched([100, 80, 79.5, 79.9]), rule)).toBe(true);
  expect(hasConverged(searched([100, 80, 78, 79.9]), rule)).toBe(false);
});

test("no search converges on the trials it looks back on alone, or without a success", () => {
  expect(hasConverged(searched([100, 100]), rule)).toBe(false);
  expect(hasConverged(searched([null, null, null, null, null]), rule)).toBe(false);
});
