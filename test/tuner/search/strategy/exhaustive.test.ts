import { expect, test, vi } from "vitest";
import { enumerate } from "../../../../src/tuner/constraint/solver/enumerate.ts";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import { asWritten } from "../../../../src/tuner/data/computation.ts";
import type { Candidate } from "../../../../src/tuner/data/space.ts";
import {
  candidateKey,
  pointOf,
  type SearchSpace,
  searchSpace,
} from "../../../../src/tuner/search/point/search-space.ts";
import { observe, type SearchState, startSearch } from "../../../../src/tuner/search/state/search-state.ts";
import { exhaustive } from "../../../../src/tuner/search/strategy/exhaustive.ts";
import { strategies } from "../../../../src/tuner/search/strategy/strategies.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { gemmModel } from "../../constraint/gemm-space.ts";
import { anyOp, space } from "../synthetic-task.ts";

const template = (name: string, n: number) => ({
  name,
  ...asWritten(anyOp),
  instructions: [],
  structure: [],
  model: gemmModel({ m: 4, n, k: 4, registers: 8, l2Bytes: 1024 }),
});
const small = searchSpace({ templates: [template("wide", 8), template("narrow", 4)] });

const timedOut = { kind: "timed-out", deadlineMs: 5 } as const;
const measured = (state: SearchState, candidates: readonly Candidate[]): SearchState =>
  observe(
    state,
    candidates.map((candidate) => ({ candidate, measurement: timedOut })),
  );

const start = (searched: SearchSpace): SearchState => startSearch(searched, boostedTrees());
const propose = (state: SearchState, count: number): readonly Candidate[] =>
  exhaustive.propose(state, count, createRng(1));

/** Keys of all points in the order of `enumerate`, template after template. */
const truth = (searched: SearchSpace): string[] =>
  searched.templates.flatMap((one) => [...enumerate(one.compiled)].map((assignment) => pointOf(one, assignment).key));

/** All proposals, in batches of this size. */
function proposals(searched: SearchSpace, batch: number, first: readonly Candidate[] = []): Candidate[] {
  const all: Candidate[] = [];
  for (let state = measured(start(searched), first); ; ) {
    const candidates = propose(state, batch);
    if (candidates.length === 0) return all;
    all.push(...candidates);
    state = measured(state, candidates);
  }
}

test.each([19, 1000])("in batches of %i every candidate comes once, in the order of enumeration", (batch) => {
  expect(truth(small).length).toBeGreaterThan(100);
  expect(proposals(small, batch).map(candidateKey)).toEqual(truth(small));
});

test("what other strategies measured is left out, wherever they stopped", () => {
  const others = strategies.random.propose(start(small), 20, createRng(3));
  const rest = proposals(small, 32, others).map(candidateKey);
  expect([...rest, ...others.map(candidateKey)].sort()).toEqual(truth(small).sort());
});

test("a batch that was cut short goes on where measuring stopped", () => {
  const [first, second, third] = propose(start(small), 3);
  const state = measured(start(small), [first!, second!]);
  expect(propose(state, 1)).toEqual([third]);
});

test("a round of a large space enumerates no more than it proposes", () => {
  const searched = searchSpace(space);
  const state = measured(start(searched), propose(start(searched), 500));
  const fixes = vi.spyOn(searched.templates[0]!.compiled.engine, "propagate");
  expect(propose(state, 10)).toHaveLength(10);
  expect(fixes.mock.calls.length).toBeGreaterThan(10);
  expect(fixes.mock.calls.length).toBeLessThan(400);
});
