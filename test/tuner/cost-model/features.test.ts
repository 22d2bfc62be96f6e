import { describe, expect, test } from "vitest";
import { extractor, type FeaturePoint, sideBySide, variableFeatures } from "../../../src/tuner/cost-model/features.ts";
import { asWritten } from "../../../src/tuner/data/computation.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { anyOp } from "../search/synthetic-task.ts";

const template = (name: string, variables: readonly string[]): Template => ({
  name,
  ...asWritten(anyOp),
  instructions: [],
  structure: [],
  model: { variables: variables.map((variable) => ({ name: variable, domain: [0, 1], key: true })), constraints: [] },
});

const plain = template("plain", ["i.0", "j.0"]);
const packed = template("packed", ["i.0", "rows"]);
const point: FeaturePoint = { template: { template: packed }, assignment: { "i.0": 7, rows: 0 } };

describe("features", () => {
  test("of variables: a one-hot template and log₂ of every variable of all templates", () => {
    const features = variableFeatures([plain, packed]);
    expect(features.columns).toEqual(["plain", "packed", "i.0", "j.0", "rows"]);
    expect(features.rows([point, point])).toEqual({
      rows: 2,
      columns: 5,
      data: Float64Array.of(0, 1, 3, -1, 0, 0, 1, 3, -1, 0),
    });
    expect(features.columnOf("rows")).toBe(4);
    expect(features.columnOf("no such variable")).toBe(-1);
  });

  test("side by side keep their order, and the variables their columns", () => {
    const constant = extractor(["nine", "eight"], () => [9, 8]);
    const features = sideBySide([constant, variableFeatures([plain, packed])]);
    expect(features.columns).toHaveLength(7);
    expect([...features.rows([point]).data]).toEqual([9, 8, 0, 1, 3, -1, 0]);
    expect(features.columnOf("rows")).toBe(6);
    expect(constant.columnOf("rows")).toBe(-1);
  });

  test("of a point are made once, whoever asks for them", () => {
    let made = 0;
    const counting = extractor(["count"], () => [++made]);
    const features = sideBySide([counting, counting]);
    const other: FeaturePoint = { ...point };
    expect([...features.rows([point, other, point]).data]).toEqual([1, 1, 2, 2, 1, 1]);
    expect([...counting.rows([other]).data]).toEqual([2]);
  });
});
