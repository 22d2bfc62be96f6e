// Prior of Winograd's transforms: the arithmetic of a tile with shared expressions counted once, planes that evict each
// other, and the resulting order of templates.

import { describe, expect, test } from "vitest";
import { type ComputeDef, instantiate, opLibrary } from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { winograd2, winograd4 } from "../../../../src/tuner/space/algorithm/winograd.ts";
import { type ChoiceAxis, choiceBody } from "../../../../src/tuner/space/choice/choice-body.ts";
import { passesOf, withInlined } from "../../../../src/tuner/space/choice/choice-pass.ts";
import { schedulableStages } from "../../../../src/tuner/space/draft/schedulable-stage.ts";
import { conflictBytes } from "../../../../src/tuner/space/estimate/plane-conflicts.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";

const conv = (epilogue = {}): ComputeDef =>
  instantiate(opLibrary.conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }, epilogue), {}, "conv");

/** Body of a stage with its first pass inlined. */
function bodyOf(op: ComputeDef, name: string, choices: readonly ChoiceAxis[]) {
  const stages = schedulableStages(op);
  const stage = stages.find((it) => it.name === name)!;
  const whole = withInlined(stages, stage, passesOf(stage, stages));
  return choiceBody(whole.find((it) => it.name === name)!, choices);
}

const byValue: readonly ChoiceAxis[] = ["a", "b"].map((name) => ({ name, modulus: null }));
const byRemainder = (modulus: number): readonly ChoiceAxis[] => ["y", "x"].map((name) => ({ name, modulus }));

describe("a tile's arithmetic", () => {
  test("F(2,3): 4 steps a column and row of the image, 4 of the products", () => {
    const { op } = winograd2.rewrite(conv());
    expect(bodyOf(op, "out.tiles", byValue)).toEqual({
      results: 16,
      operations: 4 * (4 + 4),
      multiplyAdds: 0,
      loads: new Map([["out.padded", 16]]),
    });
    expect(bodyOf(op, "out", byRemainder(2))).toEqual({
      results: 4,
      operations: 4 * (4 + 2),
      multiplyAdds: 0,
      loads: new Map([["out.products", 16]]),
    });
  });

  test("F(4,3): what a point and its negative share is counted once", () => {
    const { op } = winograd4.rewrite(conv());
    const image = bodyOf(op, "out.tiles", byValue);
    // 0 and ∞ take 2 steps; each pair of points 2 for the parts that it shares, and their sum and difference.
    expect(image.operations - image.multiplyAdds).toBe(12 * (6 + 6));
    expect([image.results, image.loads]).toEqual([36, new Map([["out.padded", 36]])]);
    const result = bodyOf(op, "out", byRemainder(4));
    expect([result.results, result.loads]).toEqual([16, new Map([["out.products", 36]])]);
    expect(result.operations - result.multiplyAdds).toBeLessThanOrEqual(11 * (6 + 4));
  });

  test("each result has its own residual, and all of a filter one bias", () => {
    const { op } = winograd2.rewrite(conv({ bias: true, residual: true }));
    const { loads } = bodyOf(op, "out", byRemainder(2));
    expect(loads).toEqual(
      new Map([
        ["out.sum.products", 16],
        ["bias", 1],
        ["residual", 4],
      ]),
    );
  });
});

test("planes at a distance of pages evict each other where they are more than the ways", () => {
  const target = { ...frozenTargets.avx2, l1Bytes: 32 * 1024 };
  const bytes = (count: number, distance: number, isWritten = false): number =>
    conflictBytes({ count, distance, lanes: 8, isWritten }, target);
  expect(bytes(16, 49 * 4096)).toBe((16 * 49 * 4096 * 64) / 32);
  expect(bytes(16, 49 * 4096, true)).toBe(2 * bytes(16, 49 * 4096));
  expect(bytes(8, 49 * 4096)).toBe(0);
  expect(bytes(16, 7168)).toBe(0);
  expect(bytes(36, 7168)).toBe((36 * 7168 * 64) / 32);
});

test("the prior prefers rows to the whole, and more results a tile, for a layer with many channels", () => {
  const task = {
    op: conv(),
    target: { ...frozenTargets.avx2, l2Bytes: 2 ** 19 },
    numerics: "fast",
    threads: 1,
  } as const;
  const space = generateSpace(task);
  const best = space.templates.map((template) => {
    const compiled = compileModel(template.model);
    const rng = createRng(1);
    const drawn = Array.from({ length: 60 }, () => sample(compiled, rng));
    const times = drawn.map((it) => (it.kind === "found" ? space.prior(template, it.assignment)! : Infinity));
    return { name: template.name, ns: Math.min(...times) };
  });
  expect(best.toSorted((a, b) => a.ns - b.ns).map(({ name }) => name)).toEqual([
    "winograd F(4,3): out by rows; out.products tiled",
    "winograd F(4,3): out.products tiled",
    "winograd F(2,3): out by rows; out.products tiled",
    "winograd F(2,3): out.products tiled",
    "out tiled",
  ]);
});
