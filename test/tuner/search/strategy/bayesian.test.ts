import { describe, expect, test } from "vitest";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import { matrixOf } from "../../../../src/tuner/cost-model/cost-model.ts";
import type { Measurement } from "../../../../src/tuner/data/measurement.ts";
import type { Candidate } from "../../../../src/tuner/data/space.ts";
import { searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { observe, startSearch } from "../../../../src/tuner/search/state/search-state.ts";
import { bayesian } from "../../../../src/tuner/search/strategy/bayesian.ts";
import { feasibilityParameters, learnFeasibility } from "../../../../src/tuner/search/surrogate/feasibility.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { measureCandidate, space } from "../synthetic-task.ts";

const searched = searchSpace(space);

/** Says whether a candidate fails for a reason that the constraints do not know. */
const isTooWide = ({ assignment }: Candidate): boolean => assignment.lanes === 16;

function measure(candidate: Candidate): Measurement {
  if (isTooWide(candidate)) return { kind: "crashed", reason: "lanes of 16" };
  return measureCandidate(searched, candidate);
}

/** The share of each round that failed. */
function failures(seed: number): number[] {
  const rng = createRng(seed);
  // The test does not look at what the cost model learns, so one tree is enough.
  let state = startSearch(searched, boostedTrees({ trees: 1 }));
  return Array.from({ length: 4 }, () => {
    const candidates = bayesian.propose(state, 16, rng);
    state = observe(
      state,
      candidates.map((candidate) => ({ candidate, measurement: measure(candidate) })),
    );
    return candidates.filter(isTooWide).length / candidates.length;
  });
}

test("a region in which candidates fail is found out, and left alone", () => {
  const shares = [1, 2, 3].map(failures);
  const mean = (round: number): number => shares.reduce((sum, share) => sum + share[round]!, 0) / shares.length;
  expect(mean(0)).toBeGreaterThan(0.15);
  expect((mean(1) + mean(2) + mean(3)) / 3).toBeLessThan(mean(0) / 3);
});

describe("the learned probability of running", () => {
  const rng = createRng(2);
  const rows = Array.from({ length: 80 }, () => [rng.below(4), rng.below(4), rng.below(4)]);
  const runs = ([a, b]: readonly number[]): boolean => a! < 3 || b! < 1;

  test("is 1 while nothing failed", () => {
    const feasibility = learnFeasibility(
      matrixOf(rows),
      rows.map(() => true),
      createRng(1),
    );
    expect([...feasibility(matrixOf(rows.slice(0, 3)))]).toEqual([1, 1, 1]);
  });

  test("tells rows that fail by two of their columns from others", () => {
    const feasibility = learnFeasibility(matrixOf(rows), rows.map(runs), createRng(1));
    const others = Array.from({ length: 100 }, () => [rng.below(4), rng.below(4), rng.below(4)]);
    const right = [...feasibility(matrixOf(others))].filter((value, k) => value > 0.5 === runs(others[k]!)).length;
    expect(right).toBeGreaterThan(95);
  });

  test("is never quite 0", () => {
    const feasibility = learnFeasibility(
      matrixOf(rows),
      rows.map(() => false),
      createRng(1),
    );
    expect([...feasibility(matrixOf(rows.slice(0, 2)))]).toEqual([
      feasibilityParameters.least,
      feasibilityParameters.least,
    ]);
  });
});
