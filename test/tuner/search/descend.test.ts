// Predictions for GPUs of visitors end at schedules that no neighbour beats, by the prior.

import { expect, test } from "vitest";
import { instantiate, type Op, opLibrary, targets, webgpu } from "../../../src/compiler/index.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { descend } from "../../../src/tuner/search/descend.ts";
import { neighbours } from "../../../src/tuner/search/move/moves.ts";
import { priorNs } from "../../../src/tuner/search/point/prior.ts";
import { drawPoint, findPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const { gemm, softmax } = opLibrary;
const taskOf = (op: Op, target: TuningTask["target"] = webgpu): TuningTask => {
  return { op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 };
};

test.each<readonly [string, Op]>([
  ["gemm", gemm({ M: 1024, N: 1024, K: 256 })],
  ["softmax", softmax({ M: 256, N: 1024 })],
])("%s: nothing beside a prediction is better", (_, op) => {
  const space = generateSpace(taskOf(op));
  const search = searchSpace(space, { prior: space.prior });
  const point = findPoint(search, predict(space)!)!;
  const times = [...neighbours(search, point, createRng(2), 2)].map((it) => priorNs(search, it));
  expect(times.length).toBeGreaterThan(5);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(priorNs(search, point));
});

test("the way goes down from any schedule", () => {
  const space = generateSpace(taskOf(gemm({ M: 64, N: 96, K: 128 })));
  const search = searchSpace(space, { prior: space.prior });
  const rng = createRng(3);
  const pairs = search.templates.flatMap((template) =>
    Array.from({ length: 5 }, () => drawPoint(search, template, rng, {})!).map((start) => {
      const end = descend(search, start);
      expect(findPoint(search, end.candidate)).not.toBeNull();
      return [priorNs(search, start), priorNs(search, end)] as const;
    }),
  );
  expect(pairs.every(([before, after]) => after <= before)).toBe(true);
  expect(pairs.filter(([before, after]) => after < before).length).toBeGreaterThan(pairs.length / 2);
});

test("predictions for CPUs are what draws find, as in earlier versions", () => {
  expect(generateSpace(taskOf(gemm({ M: 64, N: 64, K: 64 }), targets.avx2)).descends).toBe(false);
});
