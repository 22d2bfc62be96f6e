// Strategies of one's own: what they do wrong is told with their name, and what they repeat is not measured again.

import { describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import {
  DiagnosticError,
  predictSchedule,
  type Schedule,
  type Strategy,
  search,
  type TuneOptions,
  template,
  tune,
} from "../../src/api/index.ts";

const rows = template("rows", (t) => {
  const block = t.sampleCategorical("block", [1, 2, 4, 8]);
  const inner = t.sampleCategorical("inner", [1, 2, 4]);
  t.split("C.i", [0, block, inner], "cut");
  t.atMost(t.product(block, inner), 8, "eight rows at a time");
});
const columns = template("columns", (t) => t.split("C.j", [0, t.sampleCategorical("width", [2, 4])], "cut"));

const options = { target: "wasm", parameters: { M: 8, N: 8, K: 8 }, templates: [rows, columns] } as const;
const budget = { seconds: 600, trials: 12 };
const at = (block: number, inner: number): Schedule => ({ template: "rows", assignment: { block, inner } });

const tuneBy = (propose: unknown, more: Partial<TuneOptions> = {}) =>
  tune(gemm, { ...options, budget, strategy: { name: "own", propose } as Strategy, ...more });

const refusalOf = async (tuning: Promise<unknown>): Promise<string> => {
  try {
    await tuning;
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  return "nothing was refused";
};

describe("a strategy that is wrong about the space", () => {
  test.each([
    [
      "nothing",
      () => [],
      'strategy.proposed-nothing: strategy "own" proposes nothing in the first round, and 11 candidates are not measured',
    ],
    [
      "an unknown template",
      () => [{ template: "nope", assignment: {} }],
      'strategy.unknown-template: strategy "own" proposes a candidate of "nope", a template without schedules here\nthe templates are\n  rows\n  columns',
    ],
    [
      "a missing decision",
      () => [{ template: "rows", assignment: { block: 2 } }],
      'strategy.bad-candidate: strategy "own" proposes a candidate of "rows" without a value for its decision inner',
    ],
    [
      "an unknown decision",
      () => [{ template: "rows", assignment: { block: 2, inner: 2, more: 1 } }],
      'strategy.bad-candidate: strategy "own" proposes a candidate of "rows" that says more, which is none of its decisions',
    ],
    [
      "what follows from decisions",
      () => [{ template: "rows", assignment: { block: 2, inner: 2, "block × inner": 4 } }],
      'strategy.bad-candidate: strategy "own" proposes a candidate of "rows" that says block × inner, which follows from its decisions',
    ],
    [
      "a value that the decision does not have",
      () => [at(3, 1)],
      'strategy.bad-candidate: strategy "own" proposes a candidate of "rows" with block = 3, which is one of 1, 2, 4, 8',
    ],
    [
      "a broken constraint",
      () => [at(8, 4)],
      'strategy.bad-candidate: strategy "own" proposes a candidate of "rows" that breaks its constraints\nno schedule satisfies all of these:\n  - eight rows at a time',
    ],
    [
      "no candidate",
      () => ["rows"],
      'strategy.bad-candidate: strategy "own" proposes "rows", which is no { template, assignment } of names with whole numbers',
    ],
    [
      "a promise",
      async () => Promise.reject(new Error("nobody waits")),
      'strategy.bad-answer: strategy "own" returns a promise, a list of candidates is wanted\n  hint: what takes long is done before the tuning, or between two',
    ],
    ["no list", () => undefined, 'strategy.bad-answer: strategy "own" returns nothing, a list of candidates is wanted'],
    ["one candidate", () => at(1, 1), 'strategy.bad-answer: strategy "own" returns {"template":"rows"'],
  ])("proposes %s", async (_, propose, message) => {
    const refusal = await refusalOf(tuneBy(propose));
    expect(refusal.slice(0, message.length)).toBe(message);
  });

  test("throws", async () => {
    const refusal = await refusalOf(
      tuneBy(() => {
        throw new TypeError("no such thing");
      }),
    );
    expect(refusal).toContain('strategy.threw: strategy "own" has thrown TypeError: no such thing');
    expect(refusal).toContain("strategy.test.ts");
  });

  test("is none", async () => {
    expect(await refusalOf(tuneBy(null))).toBe(
      "strategy.malformed: a strategy is an object with a name and a function propose",
    );
    expect(await refusalOf(tuneBy(() => [], { strategy: "best" as "default" }))).toContain(
      'strategy.unknown: there is no strategy "best"\n  hint: there are default, random,',
    );
  });
});

describe("a strategy that repeats itself", () => {
  test("has each candidate measured once, is told how often it did, and ends with what it has", async () => {
    const warnings: string[] = [];
    const point = at(2, 2);
    const onWarning = (line: string): void => void warnings.push(line);
    const tuned = await tuneBy(() => [point, point], { onWarning });
    expect(tuned).toMatchObject({ schedule: point, measured: 1, ended: "converged" });
    expect(tuned.repeated).toBeGreaterThan(1);
    expect(warnings).toEqual([
      `strategy "own" proposed ${tuned.repeated} candidates that it had proposed before; none was measured again`,
    ]);
  });

  test("goes on as long as something is new, whatever comes with it", async () => {
    const all = [at(1, 1), at(2, 1), at(4, 1), at(8, 1)];
    let asked = 0;
    const tuned = await tuneBy(() => [all[0], { ...all[Math.min(asked++, 3)], note: "mine" }]);
    expect(tuned).toMatchObject({ measured: 4, ended: "converged" });
  });

  test("that has nothing more to propose ends with what it has", async () => {
    const propose: Strategy["propose"] = (state) => (search.trialCount(state) === 0 ? [at(1, 1), at(1, 2)] : []);
    expect(await tuneBy(propose)).toMatchObject({ measured: 2, repeated: 0, ended: "exhausted" });
  });

  test("is cut to what is asked for", async () => {
    const propose: Strategy["propose"] = () => [at(1, 1), at(2, 1), at(4, 1), at(8, 1)];
    expect(await tuneBy(propose, { budget: { trials: 2 } })).toMatchObject({ measured: 2, ended: "budget" });
  });
});

test("a budget that leaves nothing to be measured is no empty space", async () => {
  expect(await refusalOf(tune(gemm, { ...options, budget: { trials: 0 } }))).toMatch(
    /^tune.out-of-time: kernel: nothing could be measured in .* s: the budget was spent before/,
  );
});

describe("what strategies are written with", () => {
  const moves: Strategy = {
    name: "moves",
    propose(state, count, rng) {
      const { space } = state;
      const pool = new search.Pool(state);
      const one = search.random(space, rng, "rows")!;
      expect(one.candidate.template).toBe("rows");
      expect(search.random(space, rng, "nope")).toBeNull();
      expect(search.findPoint(space, one.candidate)?.key).toBe(one.key);
      expect(search.findPoint(space, at(8, 4))).toBeNull();
      const other = search.random(space, rng, "columns")!;
      expect(search.inherit(space, one, other, rng)).toBeNull();
      const child = search.inherit(space, one, search.random(space, rng, "rows")!, rng);
      for (const point of [one, child, search.mutate(space, one, rng)]) if (point) pool.add(point);
      for (const neighbour of search.neighbours(space, one, rng)) {
        expect(neighbour.key).not.toBe(one.key);
        pool.add(neighbour);
      }
      pool.draw(count, rng);
      const ranked = search.rank(search.score(state, pool.points));
      return search.selectBatch(ranked, count, rng);
    },
  };

  test("gives candidates of the space, in rounds that learn from those before", async () => {
    expect(await tune(gemm, { ...options, budget, strategy: moves })).toMatchObject({ measured: 11, repeated: 0 });
  });

  test("are ours too: one of one's own may begin with another", async () => {
    const first = predictSchedule(gemm, options);
    const propose: Strategy["propose"] = (state, count, rng) =>
      search.trialCount(state) === 0 ? [first] : search.strategies.random.propose(state, count, rng);
    expect(await tuneBy(propose, { budget: { trials: 4 } })).toMatchObject({ measured: 4, repeated: 0 });
  });
});
