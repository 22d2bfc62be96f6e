// A search problem with a known answer: the GEMM space with a made-up time that has valleys, ridges and failures, and
// a prior that is right about half of it.

import { type Assignment, type ComputeDef, invariant } from "../../../src/compiler/index.ts";
import { boostedTrees } from "../../../src/tuner/cost-model/boosted-trees.ts";
import { asWritten } from "../../../src/tuner/data/computation.ts";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import type { Candidate, Space, Template } from "../../../src/tuner/data/space.ts";
import { findPoint, type SearchSpace, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import {
  type Observation,
  observe,
  type SearchState,
  startSearch,
} from "../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import type { StrategyName } from "../../../src/tuner/search/strategy/strategy.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { gemmModel } from "../constraint/gemm-space.ts";

/** The search does not look at what is scheduled. */
export const anyOp: ComputeDef = { name: "any", parameters: {}, inputs: [], stages: [], outputs: [] };

const template = (name: string, m: number, n: number, k: number): Template => ({
  name,
  ...asWritten(anyOp),
  instructions: [],
  structure: [],
  model: gemmModel({ m, n, k, registers: 24, l2Bytes: 2 ** 17 }),
});

export const space: Space = { templates: [template("packed", 96, 128, 64), template("plain", 96, 128, 64)] };

const octaves = (value: number, wanted: number): number => Math.log2(value / wanted);

/** Nanoseconds: least for 12 rows of 2 vectors of 8 lanes, k.1 of 32, packing at 1, and 24 rows a block. */
export function timeOf(name: string, at: Assignment): number {
  const tile = octaves(at["i.2"]!, 12) ** 2 + octaves(at.vectors!, 2) ** 2;
  const reuse = Math.abs(octaves(at.accumulators!, 24)) + 0.5 * octaves(at["k.1"]!, 32) ** 2;
  const block = 0.2 * Math.abs(octaves(at["i.1"]! * at["i.2"]!, 24)) + 0.1 * octaves(at["j.1"]!, 4) ** 2;
  const choices = (at.lanes === 8 ? 0 : 0.7) + (at["pack.at"] === 1 ? 0 : 0.4) + (name === "packed" ? 0 : 0.5);
  return 1000 * 2 ** (0.4 * tile + 0.5 * reuse + block + choices);
}

/** Knows about tiles and reuse, nothing of blocks, packing and templates. */
export function roughPrior(_: Template, at: Assignment): number {
  const tile = octaves(at["i.2"]!, 8) ** 2 + octaves(at.vectors!, 2) ** 2;
  return 100 * 2 ** (0.3 * tile + 0.3 * Math.abs(octaves(at.accumulators!, 24)));
}

export function measureCandidate(searched: SearchSpace, candidate: Candidate): Measurement {
  const point = findPoint(searched, candidate);
  invariant(point, "the candidate is in the space");
  const { assignment } = point;
  if (assignment["j.0"] === 1 && assignment.lanes === 16) return { kind: "crashed", reason: "made to" };
  const ns = timeOf(candidate.template, assignment);
  return { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 5 } };
}

export interface Run {
  readonly strategy: StrategyName;
  readonly seed: number;
  readonly rounds: number;
  readonly batch: number;
  readonly withPrior?: boolean;
}

export function search({ strategy, seed, rounds, batch, withPrior = false }: Run): SearchState {
  const searched = searchSpace(space, withPrior ? { prior: roughPrior } : {});
  const rng = createRng(seed);
  let state = startSearch(searched, boostedTrees());
  for (let round = 0; round < rounds; round++) {
    const candidates = strategies[strategy].propose(state, batch, rng);
    state = observe(
      state,
      candidates.map((candidate): Observation => ({ candidate, measurement: measureCandidate(searched, candidate) })),
    );
  }
  return state;
}
