import { expect, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import { instantiate, targets } from "../../../src/compiler/index.ts";
import { dumpStages } from "../../../src/tuner/kernel/dump-stages.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";

test.each(["wasm", "avx2"] as const)("every stage of a %s kernel has its text", (name) => {
  const op = instantiate(gemm, { M: 13, N: 24, K: 30 }, "gemm");
  const task = { op, target: targets[name], numerics: "fast", threads: 1 } as const;
  const space = generateSpace(task);
  const stages = dumpStages(task, space, predict(space)!);
  const names = stages.map((stage) => stage.name);
  expect(names.slice(0, 6)).toEqual([
    "01-expr.txt",
    "02-task.json",
    "03-space.txt",
    "04-sample.json",
    "05-trace.txt",
    "06-01-lower-blocks.txt",
  ]);
  expect(names.at(-1)).toBe(name === "wasm" ? "07-kernel.wat" : "07-kernel.c");
  expect(names).toEqual(names.toSorted());
  expect(stages[0]!.text).toContain("sum(A[i, k] * B[k, j], k)");
  expect(stages.find((stage) => stage.name === "05-trace.txt")!.text).toMatch(/^split C\.i \[0, \d+, \d+\]/);
});
