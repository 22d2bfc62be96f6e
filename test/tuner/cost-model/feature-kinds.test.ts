import { expect, test } from "vitest";
import { instantiate, opLibrary, targets } from "../../../src/compiler/index.ts";
import { featureKindNames, featureKinds } from "../../../src/tuner/cost-model/feature-kinds.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { drawPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const task: TuningTask = {
  op: instantiate(opLibrary.gemm({ M: 24, N: 48, K: 20, dtype: "f32" }), {}, "gemm"),
  target: targets.wasm,
  numerics: "fast",
  threads: 1,
};
const space = generateSpace(task);

test.each(featureKindNames)("%s: a finite row a point, the same each time, that tells points apart", (kind) => {
  const searched = searchSpace(space, { features: featureKinds[kind](space, task) });
  const rng = createRng(1);
  const points = Array.from({ length: 6 }, () => drawPoint(searched, searched.templates[0]!, rng, {})!);
  const { features } = searched;
  const { data, rows, columns } = features.rows(points);
  expect([rows, columns]).toEqual([6, features.columns.length]);
  expect([...data].every(Number.isFinite)).toBe(true);
  expect(features.rows(points).data).toEqual(data);
  const texts = points.map((_, at) => data.subarray(at * columns, (at + 1) * columns).join());
  expect(new Set(texts).size).toBeGreaterThan(3);
});

test("decisions keep their columns beside facts", () => {
  const { features } = searchSpace(space, { features: featureKinds["variables and facts"](space, task) });
  expect(features.columns[features.columnOf("C.k.unroll")]).toBe("C.k.unroll");
  expect(features.columnOf("no such decision")).toBe(-1);
});
