import { describe, expect, test } from "vitest";
import { instantiate, opLibrary, targets } from "../../../src/compiler/index.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { factNames, factRows, factsOfRows } from "../../../src/tuner/prior/fact-rows.ts";
import { predictTotalNs } from "../../../src/tuner/prior/ranker.ts";
import { drawPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const task: TuningTask = {
  op: instantiate(opLibrary.softmax({ M: 64, N: 1000 }), {}, "softmax"),
  target: targets.wasm,
  numerics: "fast",
  threads: 1,
};
const space = generateSpace(task);
const searched = searchSpace(space);
const point = drawPoint(searched, searched.templates[0]!, createRng(1), {})!;
const facts = space.facts(point.template.template, point.assignment)!;

describe("the facts of a candidate", () => {
  test("are what its prior is made of", () => {
    expect(facts.length).toBeGreaterThan(1);
    expect(space.prior(point.template.template, point.assignment)).toBe(predictTotalNs(facts, task.target));
  });

  test("survive as rows, but for their last digits", () => {
    const rows = JSON.parse(JSON.stringify(factRows(facts))) as number[][];
    const read = factsOfRows(rows)!;
    expect(read).toHaveLength(facts.length);
    read.forEach((one, stage) => {
      for (const name of factNames)
        expect((one[name] ?? 0) / (facts[stage]![name] || 1)).toBeCloseTo(facts[stage]![name] ? 1 : 0, 4);
    });
    // All facts are compared: one that a rule adds must not be forgotten here.
    expect(Object.keys(read[0]!).sort()).toEqual(factNames.toSorted());
    expect(factNames).toEqual(expect.arrayContaining(Object.keys(facts[0]!)));
  });

  test("of records that lack the later ones predict what they did", () => {
    const first = factNames.indexOf("tilesBegun");
    const rows = factRows(facts).map((row) => row.slice(0, first));
    const read = factsOfRows(rows)!;
    expect(read.map(({ walksBegun, tilesBegun }) => [walksBegun, tilesBegun])).toEqual(facts.map(() => [0, 0]));
    const begun = facts.map((one) => ({ ...one, walksBegun: 0, tilesBegun: 0, movesPerOperation: 0 }));
    expect(predictTotalNs(read, task.target) / predictTotalNs(begun, task.target)).toBeCloseTo(1, 4);
    expect(factsOfRows([[...factRows(facts)[0]!, 0]])).toBeNull();
  });

  test("are unknown where there are none, or those of another time", () => {
    expect(factsOfRows(null)).toBeNull();
    expect(factsOfRows([])).toBeNull();
    expect(factsOfRows([[1, 2, 3]])).toBeNull();
  });
});
