import { expect, test } from "vitest";
import { columnOf, featureLayout, featureRow } from "../../../src/tuner/cost-model/features.ts";
import { asWritten } from "../../../src/tuner/measure/computation.ts";
import type { Template } from "../../../src/tuner/space/space.ts";
import { anyOp } from "../search/synthetic-task.ts";

const template = (name: string, variables: readonly string[]): Template => ({
  name,
  ...asWritten(anyOp),
  instructions: [],
  structure: [],
  model: { variables: variables.map((variable) => ({ name: variable, domain: [0, 1], key: true })), constraints: [] },
});

test("a row has a one-hot template and log₂ of every variable of all templates", () => {
  const layout = featureLayout([template("plain", ["i.0", "j.0"]), template("packed", ["i.0", "rows"])]);
  expect(layout).toEqual({ templates: ["plain", "packed"], variables: ["i.0", "j.0", "rows"] });
  expect([...featureRow(layout, "packed", { "i.0": 7, rows: 0 })]).toEqual([0, 1, 3, -1, 0]);
  expect(columnOf(layout, "rows")).toBe(4);
});
