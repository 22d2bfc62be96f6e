import { expect, test } from "vitest";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import type { CostModel } from "../../../../src/tuner/cost-model/cost-model.ts";
import { searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import {
  instructiveTrials,
  observe,
  predictScores,
  rankedTrials,
  startSearch,
  trialCount,
} from "../../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../../src/tuner/search/strategy/strategies.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { measureCandidate, search, space } from "../synthetic-task.ts";

test("the model is trained when it is first asked for, and once a round", () => {
  let fits = 0;
  const trees = boostedTrees();
  const counting: CostModel = {
    ...trees,
    fit(set) {
      fits += 1;
      return trees.fit(set);
    },
  };
  const searched = searchSpace(space);
  const empty = startSearch(searched, counting);
  const candidates = strategies.random.propose(empty, 8, createRng(1));
  const state = observe(
    empty,
    candidates.map((candidate) => ({ candidate, measurement: measureCandidate(searched, candidate) })),
  );
  strategies.random.propose(state, 8, createRng(2));
  expect(fits).toBe(0);
  const points = rankedTrials(state).map(({ point }) => point);
  expect(predictScores(state, points)).toEqual(predictScores(state, points));
  expect(fits).toBe(1);
  expect(empty.predictor()).toBe(null);
});

test("of many trials the best and the latest teach, in their order", () => {
  const state = search({ strategy: "random", seed: 1, rounds: 10, batch: 10 });
  const all = state.rounds.flat();
  expect(trialCount(state)).toBe(100);
  expect(instructiveTrials(state, 100)).toEqual(all);
  const chosen = instructiveTrials(state, 40);
  expect(chosen).toHaveLength(40);
  expect(chosen).toEqual(all.filter((trial) => chosen.includes(trial)));
  const best = rankedTrials(state).slice(0, 20);
  const others = all.filter((trial) => !best.includes(trial));
  expect(new Set(chosen)).toEqual(new Set([...best, ...others.slice(-20)]));
});
