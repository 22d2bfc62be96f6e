// Every strategy on spaces by lot: with and without estimates, of one point and of hundreds, where some, most or all
// candidates fail. Here forty; `SEARCH_SPACES=2000 SEARCH_SEED=1 npx vitest run test/property/search.test.ts` draws others.

import { describe, expect } from "vitest";
import { check } from "../../src/tuner/constraint/check.ts";
import { boostedTrees } from "../../src/tuner/cost-model/boosted-trees.ts";
import { searchedNs } from "../../src/tuner/data/measurement.ts";
import { findPoint } from "../../src/tuner/search/point/search-space.ts";
import { guess, predict } from "../../src/tuner/search/predict.ts";
import { observe, type SearchState, startSearch } from "../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { type StrategyName, strategyNames } from "../../src/tuner/search/strategy/strategy.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { inTurn } from "../support/long.ts";
import { type RandomSpace, randomSpace } from "../support/random-space.ts";

const turn = inTurn(4);

const seed = Number(process.env.SEARCH_SEED ?? 1);
const count = Number(process.env.SEARCH_SPACES ?? 40);
const seeds = Array.from({ length: count }, (_, at) => seed * 100_003 + at);

/** Candidates of a round. */
const batch = 7;

/** Searches a space to its end; a round beyond the last point would propose nothing new. */
function searchThrough({ searched, points, measure }: RandomSpace, name: StrategyName, seed: number): SearchState {
  const rng = createRng(seed);
  const space = searched();
  let state = startSearch(space, boostedTrees());
  for (let round = 0; round <= points.length; round++) {
    const candidates = strategies[name].propose(state, batch, rng);
    if (candidates.length === 0) return state;
    expect(candidates.length).toBeLessThanOrEqual(batch);
    const observations = candidates.map((candidate) => {
      const point = findPoint(space, candidate);
      expect(point, `${JSON.stringify(candidate)} is in the space`).not.toBeNull();
      expect(candidate).toEqual(point!.candidate);
      expect(check(point!.template.template.model, point!.assignment)).toEqual([]);
      expect(state.seen.has(point!.key), `${point!.key} is measured once`).toBe(false);
      return { candidate, measurement: measure(point!) };
    });
    const before = state.seen.size;
    state = observe(state, observations);
    expect(state.seen.size).toBe(before + candidates.length);
  }
  throw new Error(`${name} did not end`);
}

const spaces = seeds.map(randomSpace);

describe.each(strategyNames)("strategy %s", (name) => {
  turn(
    "ends on any space, has measured each of its points once, and knows the best",
    {
      timeout: count * 3_000,
    },
    () => {
      for (const [at, drawn] of spaces.entries()) {
        const { title, points, measure } = drawn;
        const state = titled(title, () => searchThrough(drawn, name, at));
        expect([...state.seen].sort(), title).toEqual(points.map(({ key }) => key).sort());
        const times = points.flatMap((point) => searchedNs(measure(point)) ?? []);
        const found = state.best && searchedNs(state.best.measurement);
        expect(found, title).toBe(times.length > 0 ? Math.min(...times) : null);
      }
    },
  );
});

turn("a schedule is predicted wherever there is one", () => {
  for (const { title, space, points, searched } of spaces) {
    for (const look of [predict, guess]) {
      const candidate = titled(title, () => look(space));
      expect(candidate !== null, title).toBe(points.length > 0);
      if (candidate) expect(findPoint(searched(), candidate), title).not.toBeNull();
    }
  }
});

/** The message names the space that it happened on. */
function titled<T>(title: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) error.message = `${title}: ${error.message}`;
    throw error;
  }
}
