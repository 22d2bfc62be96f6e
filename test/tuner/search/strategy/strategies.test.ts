import { beforeAll, describe, expect, test } from "vitest";
import { check } from "../../../../src/tuner/constraint/check.ts";
import { enumerate } from "../../../../src/tuner/constraint/solver/enumerate.ts";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import { asWritten } from "../../../../src/tuner/data/computation.ts";
import { candidateKey, findPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { observe, type SearchState, startSearch, trialCount } from "../../../../src/tuner/search/state/search-state.ts";
import { learnedRound } from "../../../../src/tuner/search/strategy/default.ts";
import { strategies } from "../../../../src/tuner/search/strategy/strategies.ts";
import { type StrategyName, strategyNames } from "../../../../src/tuner/search/strategy/strategy.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { suitesInTurn } from "../../../support/long.ts";
import { gemmModel } from "../../constraint/gemm-space.ts";
import { anyOp, measureCandidate, search, space, timeOf } from "../synthetic-task.ts";

const seeds = [1, 2, 3];
/** 1000 ns: the minimum of timeOf over the space; see the first test. */
const optimumNs = 1000;

const keys = (state: SearchState): string[] => state.rounds.flat().map(({ point }) => point.key);

/** Mean over the seeds of best time found / optimum. */
const regret = (states: readonly SearchState[]): number =>
  states.reduce((sum, { best }) => sum + best!.ns! / optimumNs, 0) / states.length;

/** 96 trials, but for `default`, whose later rounds are smaller. */
const size = { rounds: 4, batch: 24 };
const runs = new Map<StrategyName, SearchState[]>();

beforeAll(() => {
  for (const strategy of strategyNames) {
    runs.set(
      strategy,
      seeds.map((seed) => search({ strategy, seed, ...size })),
    );
  }
});

test("the optimum of the synthetic task is known", () => {
  const times = searchSpace(space).templates.flatMap(({ template, compiled }) => {
    const all = [...enumerate(compiled, { "i.2": [6, 8, 12, 16], lanes: [8] })];
    return all.map((assignment) => timeOf(template.name, assignment));
  });
  expect(times.reduce((best, ns) => Math.min(best, ns))).toBe(optimumNs);
});

suitesInTurn(2).each(strategyNames)("strategy %s", (strategy) => {
  test("fills every batch and never proposes a candidate twice", () => {
    for (const state of runs.get(strategy)!) {
      const filled = strategy === "default" ? size.batch + (size.rounds - 1) * learnedRound : 96;
      expect(trialCount(state)).toBe(filled);
      expect(new Set(keys(state)).size).toBe(filled);
    }
  });

  test("proposes only what satisfies every constraint", () => {
    for (const { point } of runs.get(strategy)![0]!.rounds.flat()) {
      expect(check(point.template.template.model, point.assignment)).toEqual([]);
    }
  });

  test("gives the same sequence for the same seed; another for another, where it draws at all", () => {
    const again = search({ strategy, seed: 1, rounds: 2, batch: size.batch });
    expect(keys(again)).toEqual(keys(runs.get(strategy)![0]!).slice(0, trialCount(again)));
    const other = keys(runs.get(strategy)![1]!).slice(0, trialCount(again));
    if (strategy === "exhaustive") expect(keys(again)).toEqual(other);
    else expect(keys(again)).not.toEqual(other);
  });

  test("proposes the same after the same records, however they came", () => {
    const searched = searchSpace(space);
    const trials = runs.get(strategy)![0]!.rounds.slice(0, 1);
    const observations = trials.flat().map(({ point, measurement }) => ({ candidate: point.candidate, measurement }));
    const resume = () => observe(startSearch(searched, boostedTrees()), JSON.parse(JSON.stringify(observations)));
    const propose = (state: SearchState) => strategies[strategy].propose(state, 8, createRng(5)).map(candidateKey);
    const [state, again] = [resume(), resume()];
    expect(propose(state)).toEqual(propose(again));
    expect(propose(state).some((key) => state.seen.has(key))).toBe(false);
  });

  test("proposes what is left of a small space, and then nothing", () => {
    const model = gemmModel({ m: 2, n: 8, k: 2, registers: 4, l2Bytes: 512 });
    const small = searchSpace({
      templates: [{ name: "small", ...asWritten(anyOp), instructions: [], structure: [], model }],
    });
    const all = [...enumerate(small.templates[0]!.compiled)].length;
    let state = startSearch(small, boostedTrees());
    for (let round = 0; round < 12; round++) {
      const candidates = strategies[strategy].propose(state, 16, createRng(round));
      // Random draws may miss the last few: the next round draws others.
      if (candidates.length === 0) continue;
      state = observe(
        state,
        candidates.map((candidate) => ({ candidate, measurement: measured(candidate.assignment["i.2"]!) })),
      );
    }
    expect(all).toBeGreaterThan(30);
    expect(trialCount(state)).toBe(all);
    expect(strategies[strategy].propose(state, 16, createRng(9))).toEqual([]);
  });
});

const measured = (ns: number) => ({ kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 1 } }) as const;

describe("with as many trials", () => {
  test("genetic is better than random, for all that it throws away", () => {
    expect(regret(runs.get("genetic")!)).toBeLessThan(0.95 * regret(runs.get("random")!));
  });

  test.each([
    "simulated-annealing",
    "evolutionary",
    "cga",
    "random-key-cga",
    "bayesian",
    "coordinate-descent",
    "default",
  ] as const)("%s beats random", (strategy) => {
    expect(regret(runs.get(strategy)!)).toBeLessThan(0.85 * regret(runs.get("random")!));
  });

  test("the default with a rough prior comes within 5 % of the optimum, for each seed", () => {
    for (const seed of seeds) {
      const { best } = search({ strategy: "default", seed, rounds: 8, batch: 12, withPrior: true });
      expect(best!.ns! / optimumNs).toBeLessThan(1.05);
    }
  });

  test("the prior makes the first batch of the default better", () => {
    const first = (withPrior: boolean): number =>
      regret(seeds.map((seed) => search({ strategy: "default", seed, rounds: 1, batch: 12, withPrior })));
    expect(first(true)).toBeLessThan(first(false) / 1.5);
  });
});

describe("failures", () => {
  test("are avoided once they were seen", () => {
    const failed = (state: SearchState, from: number, to: number): number =>
      state.rounds
        .slice(from, to)
        .flat()
        .filter(({ ns }) => ns === null).length;
    const states = runs.get("cga")!;
    const early = states.reduce((sum, state) => sum + failed(state, 0, 1), 0);
    const late = states.reduce((sum, state) => sum + failed(state, 3, 4), 0);
    expect(early).toBeGreaterThan(late);
  });

  test("of every trial leave the search where it can go on", () => {
    const searched = searchSpace(space);
    const first = strategies.default.propose(startSearch(searched, boostedTrees()), 6, createRng(1));
    const crash = { kind: "crashed", reason: "made to" } as const;
    const state = observe(
      startSearch(searched, boostedTrees()),
      first.map((candidate) => ({ candidate, measurement: crash })),
    );
    expect(state.best).toBeNull();
    expect(strategies.default.propose(state, 6, createRng(2))).toHaveLength(6);
  });
});

test("records of candidates that the space no longer holds are no trials", () => {
  const searched = searchSpace(space);
  const [candidate] = strategies.random.propose(startSearch(searched, boostedTrees()), 1, createRng(1));
  const gone = [
    { ...candidate!, template: "removed" },
    { ...candidate!, assignment: { ...candidate!.assignment, "i.2": 7 } },
    { ...candidate!, assignment: { "i.2": 4 } },
  ];
  expect(gone.map((one) => findPoint(searched, one))).toEqual([null, null, null]);
  expect(findPoint(searched, candidate!)!.candidate).toEqual(candidate);
  const observations = [candidate!, ...gone].map((one) => ({
    candidate: one,
    measurement: measureCandidate(searched, candidate!),
  }));
  expect(trialCount(observe(startSearch(searched, boostedTrees()), observations))).toBe(1);
});
