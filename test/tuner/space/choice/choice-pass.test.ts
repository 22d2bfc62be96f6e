// Maps that are passes of the stage that reads them, the stages with passes inlined, and a transform in two passes,
// whose intermediate result takes only a small workspace.

import { describe, expect, test } from "vitest";
import {
  authoring,
  fromCompute,
  instantiate,
  instantiateTemplate,
  lower,
  opLibrary,
  printFunc,
  replay,
} from "../../../../src/compiler/index.ts";
import { winograd2, winograd4 } from "../../../../src/tuner/space/algorithm/winograd.ts";
import { passesOf, withInlined } from "../../../../src/tuner/space/choice/choice-pass.ts";
import { type SchedulableStage, schedulableStages } from "../../../../src/tuner/space/draft/schedulable-stage.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";

const { compute, defineOp, select, tensor } = authoring;

const conv = instantiate(opLibrary.conv2d({ H: 8, W: 8, C: 8, F: 16, padding: 1 }), {}, "conv");

const passesIn = (stages: readonly SchedulableStage[], name: string) =>
  passesOf(stages.find((it) => it.name === name)!, stages).map(({ stage, choices, several }) => ({
    name: stage.name,
    choices,
    several,
  }));

describe("passes", () => {
  test("of Winograd's transforms: the rows, chosen along one axis, several of the other", () => {
    const stages = schedulableStages(winograd4.rewrite(conv).op);
    expect(passesIn(stages, "out.filter")).toEqual([{ name: "out.filter.rows", choices: ["a"], several: ["j"] }]);
    expect(passesIn(stages, "out.tiles")).toEqual([{ name: "out.tiles.rows", choices: ["a"], several: ["x"] }]);
    expect(passesIn(stages, "out")).toEqual([{ name: "out.rows", choices: ["y"], several: ["b"] }]);
    // The padded image is chosen by nothing.
    expect(passesIn(stages, "out.tiles.rows")).toEqual([]);
  });

  test("inlined they are gone, and what they read is read by their reader", () => {
    const stages = schedulableStages(winograd2.rewrite(conv).op);
    const tiles = stages.find(({ name }) => name === "out.tiles")!;
    const seen = withInlined(stages, tiles, passesOf(tiles, stages));
    expect(seen.map(({ name }) => name)).not.toContain("out.tiles.rows");
    expect(seen.find(({ name }) => name === "out.padded")!.readers).toEqual(["out.tiles"]);
    const reads = seen.find(({ name }) => name === "out.tiles")!.reads.map(({ buffer }) => buffer);
    expect(new Set(reads)).toEqual(new Set(["out.padded"]));
  });
});

/** Sums and differences of pairs along both axes of 2×2 tiles. */
function pairs(N: number) {
  const image = tensor("image", [2, 2, N], "f32");
  const rows = compute("rows", [2, 2, N], (a, x, n) =>
    select(a.eq(0), image(0, x, n).add(image(1, x, n)), image(0, x, n).sub(image(1, x, n))),
  );
  const both = compute("both", [2, 2, N], (a, b, n) =>
    select(b.eq(0), rows(a, 0, n).add(rows(a, 1, n)), rows(a, 0, n).sub(rows(a, 1, n))),
  );
  return { both, rows };
}

test("any map in two passes: the first in a loop over columns, the second in one over rows", () => {
  const op = instantiate(
    defineOp({ N: 16 }, ({ N }) => pairs(N).both),
    {},
    "pairs",
  );
  const { templates } = generateSpace({ op, target: frozenTargets.avx2, numerics: "fast", threads: 1 });
  const scheduled = replay(fromCompute(op), instantiateTemplate(templates[0]!.instructions, {}));
  if (scheduled.kind !== "ok") throw new Error(scheduled.diagnostic.message);
  const text = printFunc(lower(scheduled.nest, { target: frozenTargets.avx2, numerics: "fast" }));
  expect(text.slice(text.indexOf("for"))).toMatchInlineSnapshot(`
    "for both.n.0 in 0..2 cut
      for rows.x in 0..2
        let load_0: f32x8 = image[ramp(rows.x * 16 + both.n.0 * 8, 1, 8)]
        let load_1: f32x8 = image[ramp(rows.x * 16 + both.n.0 * 8 + 32, 1, 8)]
        rows[ramp(rows.x * 8, 1, 8)] = load_0 + load_1
        rows[ramp(rows.x * 8 + 16, 1, 8)] = load_0 - load_1
      for both.a in 0..2
        let load_2: f32x8 = rows[ramp(both.a * 16, 1, 8)]
        let load_3: f32x8 = rows[ramp(both.a * 16 + 8, 1, 8)]
        both[ramp(both.a * 32 + both.n.0 * 8, 1, 8)] = load_2 + load_3
        both[ramp(both.a * 32 + both.n.0 * 8 + 16, 1, 8)] = load_2 - load_3"
  `);
});

test("a result is no pass", () => {
  const op = instantiate(
    defineOp({ N: 16 }, ({ N }) => pairs(N)),
    {},
    "pairs",
  );
  expect(passesIn(schedulableStages(op), "both")).toEqual([]);
});
