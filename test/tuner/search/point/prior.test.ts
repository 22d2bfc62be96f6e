// Templates with and without estimates in one space: neither hides the other.

import { describe, expect, test } from "vitest";
import { instantiate, opLibrary, targets } from "../../../../src/compiler/index.ts";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import type { TuningTask } from "../../../../src/tuner/data/task.ts";
import type { RankingFacts } from "../../../../src/tuner/prior/ranker.ts";
import { priorNs } from "../../../../src/tuner/search/point/prior.ts";
import { drawPoint, findPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { startSearch } from "../../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { type AuthoredTemplate, template } from "../../../../src/tuner/space/template/template.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

const task: TuningTask = {
  op: instantiate(opLibrary.gemm({ M: 96, N: 96, K: 96 }), {}, "gemm"),
  target: targets.avx2,
  numerics: "fast",
  threads: 1,
};

const tiled = (facts?: () => RankingFacts): AuthoredTemplate =>
  template("tiled", (t) => {
    const [, rows] = t.samplePerfectTile("C.i", { parts: 2, maxInnermost: 8 });
    const [, columns] = t.samplePerfectTile("C.j", { parts: 2, maxInnermost: 16 });
    t.split("C.i", [0, rows]);
    t.split("C.j", [0, columns]);
    t.unroll("C.i.1");
    t.unroll("C.j.1");
    if (facts) t.estimate(facts);
  });

const spaceWith = (one: AuthoredTemplate) => generateSpace(task, undefined, ["generated", one]);

describe.each([
  ["without an estimate", tiled()],
  ["whose estimate is no amount", tiled(() => JSON.parse('{"flops":1}') as RankingFacts)],
])("beside what the rules make, a template %s", (_, authored) => {
  const space = spaceWith(authored);
  const search = searchSpace(space, { prior: space.prior });
  const drawn = (name: string) => search.templates.find((one) => one.template.name === name)!;
  const start = startSearch(search, boostedTrees());
  const point = drawPoint(search, drawn("tiled"), createRng(1), {})!;

  test("has no predicted time, and counts as a good one of those that have", () => {
    expect(space.facts(point.template.template, point.assignment)).toBeNull();
    expect(space.prior(point.template.template, point.assignment)).toBeNull();
    const known = drawn(space.templates[0]!.name);
    const rng = createRng(3);
    const times = Array.from({ length: 40 }, () => priorNs(search, drawPoint(search, known, rng, {})!));
    const better = times.filter((ns) => ns < priorNs(search, point)).length;
    expect(better).toBeLessThan(20);
    const [best] = strategies.default.propose(start, 1, createRng(1));
    expect(priorNs(search, point)).toBeGreaterThan(priorNs(search, findPoint(search, best!)!));
  });

  test("is among the first that are measured, with others", () => {
    const batch = strategies.default.propose(start, 24, createRng(1));
    const own = batch.filter((one) => one.template === "tiled").length;
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThan(24);
  });
});
