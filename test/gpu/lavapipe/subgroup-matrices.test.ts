// Products on subgroup matrices, in Dawn on the one driver without a GPU that has them: drawn schedules equal the reference, integers exactly,
// and nothing is written beside the arrays. The sweep draws more of them.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AcceleratorTarget, cudaSm80, isWgslSource, webgpu, withShuffles } from "../../../src/compiler/index.ts";
import { withSubgroupMatrices } from "../../../src/compiler/target/subgroup-matrices.ts";
import { inTurn, someOf } from "../../support/long.ts";
import { noDawn } from "../../support/webgpu.ts";
import { drawRound } from "../sweep/draw-round.ts";
import { wrongInterpreted } from "../sweep/interpreted.ts";
import { type SweptOperator, sweptFor } from "../sweep/operators.ts";
import { lavapipeTarget, noLavapipe } from "./lavapipe.ts";

const missing = noDawn ?? noLavapipe;
const note = missing === null ? "" : ` (${missing})`;
const titles = ["gemm of whole tiles", "batches of whole tiles", "products of bytes of whole tiles"] as const;

const operatorNamed = (title: string): SweptOperator => sweptFor(lavapipeTarget).find((it) => it.title === title)!;

/** Schedules of a round that compute on tiles, with their texts. */
const onTiles = (operator: SweptOperator, round: number, target = lavapipeTarget) => {
  const drawn = drawRound(operator, 1, round, { target })!;
  const schedules = drawn.schedules.flatMap(({ kernel, template }) => {
    if (!template.includes("on tensor cores")) return [];
    if (typeof kernel === "string") throw new Error(kernel);
    if (!isWgslSource(kernel.source)) throw new Error("it is no WGSL");
    return [{ ...kernel, source: kernel.source }];
  });
  return { reference: drawn.reference!, schedules };
};

const turn = inTurn(2);

describe.skipIf(missing !== null)(`on lavapipe${note}`, () => {
  const sweep = ({ name }: AcceleratorTarget, ...args: readonly string[]) =>
    spawnSync(
      process.execPath,
      [
        ...[join(process.cwd(), "test/run-typescript.js"), "schedules", "--built", "--executor", "lavapipe"],
        ...["--target", name, ...args],
      ],
      { encoding: "utf8", timeout: 300_000 },
    );

  turn("drawn schedules of products equal the reference", { timeout: 300_000 }, () => {
    const { status, stdout, stderr } = sweep(lavapipeTarget, "--only", titles.join(";"), "--round", "0");
    expect(status, stdout + stderr).toBe(0);
  });

  // Its subgroups have eight threads.
  turn("rows by shuffles of four neighbours equal the reference", { timeout: 300_000 }, () => {
    const args = ["--only", "softmax;layerNorm;gemv;sum", "--round", "1"];
    const { status, stdout, stderr } = sweep(withShuffles(webgpu, 4), ...args);
    expect(status, stdout + stderr).toBe(0);
  });
});

// The rounds are of types that the machine multiplies.
const interpreted = [
  [titles[0], 0],
  [titles[1], 1],
  [titles[2], 0],
] as const;
test.each(someOf(interpreted, 1))("%s: the interpreter finds no race, and what the reference gives", (title, round) => {
  const { reference, schedules } = onTiles(operatorNamed(title), round);
  expect(schedules.length).toBeGreaterThan(0);
  for (const { flat } of schedules.slice(0, 3)) expect(wrongInterpreted(reference, flat)).toBeNull();
});

test("a text asks for the extensions that it uses, halves alone for f16", () => {
  const features = (title: string): ReadonlySet<string> =>
    new Set(onTiles(operatorNamed(title), 0).schedules.flatMap(({ source }) => source.features));
  const matrices = ["subgroups", "chromium-experimental-subgroup-matrix"];
  expect(features("gemm of whole tiles")).toEqual(new Set(["shader-f16", ...matrices]));
  expect(features("products of bytes of whole tiles")).toEqual(new Set(matrices));
});

test.each([
  { lanes: 32, size: 8, sums: 4 },
  { lanes: 16, size: 8, sums: 2 },
  { lanes: 8, size: 8, sums: 1 },
  { lanes: 32, size: 16, sums: 1 },
])("a subgroup of $lanes holds $sums of the matrices of $size × $size in a tile", ({ lanes, size, sums }) => {
  const matrices = { lanes, rows: size, columns: size, depth: size, operands: ["f16"] } as const;
  const target = withSubgroupMatrices(webgpu, matrices);
  const { schedules } = onTiles(operatorNamed("gemm of whole tiles"), 0, target);
  for (const { flat, source } of schedules) {
    const tiles = JSON.stringify(flat.body).split('"kind":"define"').length;
    const declared = [...source.text.matchAll(/var \w+ = subgroup_matrix_result</g)].length;
    expect(declared % sums).toBe(0);
    expect(declared / sums).toBeLessThanOrEqual(tiles);
    expect(source.text.includes("uk_part")).toBe(lanes < 32);
  }
});

test("a tile that subgroups cannot share is refused", () => {
  const target = withSubgroupMatrices(webgpu, { lanes: 4, rows: 8, columns: 8, depth: 8, operands: ["f16"] });
  expect(() => onTiles(operatorNamed("gemm of whole tiles"), 0, target)).toThrow(
    "a tile of 16×16 is not made of matrices of 8×8 by subgroups of 4",
  );
});

test("no target of visitors has them", () => {
  for (const target of [webgpu, cudaSm80]) {
    expect(target.features.some((feature) => feature.startsWith("subgroup-matrix"))).toBe(false);
  }
});
