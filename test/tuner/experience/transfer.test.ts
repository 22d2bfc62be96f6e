// Transfer on a machine that is made up: its times follow from the facts, but not with the numbers of the prior.

import { describe, expect, test } from "vitest";
import { codegenVersion, digestOf, instantiate, type Op, opLibrary, targets } from "../../../src/compiler/index.ts";
import { boostedTrees } from "../../../src/tuner/cost-model/boosted-trees.ts";
import { extentsOf, familyOf } from "../../../src/tuner/data/family.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import { recordSchema, type TuningRecord } from "../../../src/tuner/data/record.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { knownOf, withExperience } from "../../../src/tuner/experience/transfer.ts";
import { factRows } from "../../../src/tuner/prior/fact-rows.ts";
import { type MachineModel, machineModels } from "../../../src/tuner/prior/machine-model.ts";
import { predictTotalNs } from "../../../src/tuner/prior/ranker.ts";
import { groupConvergence } from "../../../src/tuner/scheduler/group-convergence.ts";
import { nothingKnown } from "../../../src/tuner/search/point/known.ts";
import {
  candidateKey,
  drawPoint,
  findPoint,
  type Point,
  searchSpace,
} from "../../../src/tuner/search/point/search-space.ts";
import { convergenceFor, hasConverged } from "../../../src/tuner/search/state/convergence.ts";
import { observe, type SearchState, startSearch } from "../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { spearman } from "../cost-model/statistics.ts";

const taskOf = (op: Op): TuningTask => ({
  op: instantiate(op, {}, "kernel"),
  target: targets.wasm,
  numerics: "fast",
  threads: 1,
});
const gemm = (M: number, N: number, K: number): TuningTask => taskOf(opLibrary.gemm({ M, N, K, dtype: "f32" }));

/** Slow caches, short bodies, costly loops. */
const truth: MachineModel = {
  ...machineModels.wasm,
  l2BytesPerCycle: 3,
  packBytesPerCycle: 2,
  arithmeticLatency: 11,
  cyclesPerIteration: 6,
  shortBody: 40,
};

const timeOf = (space: GeneratedSpace, { template, assignment }: Point): number =>
  predictTotalNs(space.facts(template.template, assignment)!, targets.wasm, truth);

function draw(task: TuningTask, count: number, seed: number) {
  const space = generateSpace(task);
  const searched = searchSpace(space, { prior: space.prior });
  const rng = createRng(seed);
  const points = Array.from(
    { length: count },
    (_, at) => drawPoint(searched, searched.templates[at % searched.templates.length]!, rng, { spread: "look-ahead" })!,
  );
  return { space, searched, points };
}

function recordsOf(task: TuningTask, count: number, seed = 1): readonly TuningRecord[] {
  const { space, points } = draw(task, count, seed);
  return points.map((point, trial): TuningRecord => {
    const ns = timeOf(space, point);
    return {
      schema: recordSchema,
      task: digestOf(task.op),
      family: familyOf(task),
      extents: extentsOf(task.op),
      targetClass: targetClass(task.target),
      toolchain: "wasm",
      codegen: codegenVersion,
      candidate: point.candidate,
      facts: factRows(space.facts(point.template.template, point.assignment)!),
      measurement: { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 5 } },
      trial,
    };
  });
}

const task = gemm(512, 768, 768);
const records = [...recordsOf(gemm(512, 512, 512), 80), ...recordsOf(gemm(1024, 1024, 1024), 80)];
const { space, searched, points } = draw(task, 300, 9);
const times = points.map((point) => timeOf(space, point));
const best = Math.min(...times);

describe("records of other shapes", () => {
  test("correct the prior", () => {
    const experienced = withExperience(space, task, records);
    const rho = (prior: GeneratedSpace["prior"]): number =>
      spearman(
        points.map(({ template, assignment }) => prior(template.template, assignment)!),
        times,
      );
    expect(rho(experienced.prior)).toBeGreaterThan(rho(space.prior) + 0.05);
    expect(rho(experienced.prior)).toBeGreaterThan(0.85);
  });

  test("of another operator correct it too", () => {
    const others = recordsOf(taskOf(opLibrary.conv2d({ H: 28, W: 28, C: 64, F: 64, padding: 1 })), 120);
    const experienced = withExperience(space, task, others);
    const rho = (prior: GeneratedSpace["prior"]): number =>
      spearman(
        points.map(({ template, assignment }) => prior(template.template, assignment)!),
        times,
      );
    expect(rho(experienced.prior)).toBeGreaterThan(rho(space.prior));
  });

  test("give the first batch, which comes near the best at once", () => {
    const known = knownOf(task, space, searched, records);
    expect(known).toMatchObject({ shapes: 2, records: 160 });
    const experienced = searchSpace(space, { prior: withExperience(space, task, records).prior });
    const start = startSearch(experienced, boostedTrees(), known);
    const batch = strategies.default.propose(start, 24, createRng(1));
    expect(batch).toHaveLength(8);
    expect(batch.slice(0, 6)).toEqual(known.seeds.slice(0, 6));
    const fastest = Math.min(...batch.map((candidate) => timeOf(space, findPoint(searched, candidate)!)));
    expect(fastest).toBeLessThan(1.05 * best);
  });

  test("end the search after the first batch where it is as fast as expected, and only there", () => {
    const known = knownOf(task, space, searched, records);
    const measured = (slower: number): SearchState => {
      const observations = known.seeds.slice(0, 6).map((candidate) => {
        const ns = slower * timeOf(space, findPoint(searched, candidate)!);
        return {
          candidate,
          measurement: { kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 5 } },
        } as const;
      });
      return observe(startSearch(searched, boostedTrees(), known), observations);
    };
    const slower = known.expectedNs! / measured(1).best!.ns!;
    const rule = convergenceFor(task.target);
    expect(hasConverged(measured(slower), rule)).toBe(true);
    expect(hasConverged(measured(1.1 * slower), rule)).toBe(false);
    expect(hasConverged(measured(slower), groupConvergence(task.target))).toBe(false);
    // The next round has the remaining seeds, and candidates that the prior likes.
    const next = strategies.default.propose(measured(1.1 * slower), 24, createRng(1));
    expect(next).toHaveLength(24);
    expect(next.slice(0, known.seeds.length - 6)).toEqual(known.seeds.slice(6));
  });

  test("say what time to expect, in which they are as wrong as the prior was there", () => {
    const known = knownOf(task, space, searched, records);
    const seeds = known.seeds.map((candidate) => timeOf(space, findPoint(searched, candidate)!));
    expect(known.expectedNs! / Math.min(...seeds)).toBeGreaterThan(0.7);
    expect(known.expectedNs! / Math.min(...seeds)).toBeLessThan(1.4);
  });

  test("expect nothing from a shape that was hardly tuned, though its best is a start", () => {
    const known = knownOf(task, space, searched, records.slice(0, 40));
    expect(known.expectedNs).toBeNull();
    expect(known.seeds.length).toBeGreaterThan(0);
  });

  test("give seeds of the nearest shape first, none twice", () => {
    const { seeds } = knownOf(task, space, searched, records);
    expect(new Set(seeds.map(candidateKey)).size).toBe(seeds.length);
    const near = knownOf(task, space, searched, records.slice(0, 80));
    expect(seeds[0]).toEqual(near.seeds[0]);
  });

  test("of a task by several code generators are one shape: those of this version, else the latest", () => {
    const by = (codegen: string | null): readonly TuningRecord[] =>
      recordsOf(task, 12, Number(codegen ?? 5)).map((record) => ({ ...record, codegen }));
    const [unknown, older, own] = [by(null), by("3"), by(codegenVersion)];
    const knownBy = (...all: readonly (readonly TuningRecord[])[]) => knownOf(task, space, searched, all.flat());
    expect(knownBy(unknown, older)).toEqual(knownBy(older));
    expect(knownBy(unknown, own, older)).toEqual(knownBy(own));
    expect(knownBy(own)).toMatchObject({ shapes: 1, records: 12 });
    expect(knownBy(own).seeds[0]).not.toEqual(knownBy(older).seeds[0]);
  });

  test("are nothing where there are none, or of other families", () => {
    expect(knownOf(task, space, searched, [])).toEqual(nothingKnown);
    const softmax = recordsOf(taskOf(opLibrary.softmax({ M: 64, N: 256 })), 12);
    expect(knownOf(task, space, searched, softmax)).toEqual(nothingKnown);
    expect(withExperience(space, task, softmax)).toBe(space);
    const old = records.map((record): TuningRecord => ({ ...record, family: null, extents: null, facts: null }));
    expect(knownOf(task, space, searched, old)).toEqual(nothingKnown);
    expect(withExperience(space, task, old)).toBe(space);
  });

  test("give the same each time", () => {
    const [one, other] = [0, 1].map(() => withExperience(space, task, records).prior);
    for (const { template, assignment } of points.slice(0, 50))
      expect(one!(template.template, assignment)).toBe(other!(template.template, assignment));
    expect(knownOf(task, space, searched, records)).toEqual(knownOf(task, space, searched, records));
  });
});
