import { describe, expect, it } from "vitest";
import { instantiate, opLibrary, targets } from "../../../src/compiler/index.ts";
import { familyOnTarget } from "../../../src/tuner/data/family.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { taskIdentity } from "../../../src/tuner/data/task-key.ts";
import { extractTasks } from "../../../src/tuner/scheduler/extract-tasks.ts";

const taskOf = (M: number, more: Partial<TuningTask> = {}, name = "gemm"): TuningTask => ({
  op: instantiate(opLibrary.gemm({ M, N: 16, K: 8, dtype: "f32" }), {}, name),
  target: targets.wasm,
  numerics: "fast",
  threads: 1,
  ...more,
});

describe("two tasks are one", () => {
  it("whatever the files are called", () => {
    expect(taskIdentity(taskOf(4, {}, "product"))).toBe(taskIdentity(taskOf(4)));
    expect(taskIdentity(taskOf(4, { constants: [] }))).toBe(taskIdentity(taskOf(4)));
    expect(taskIdentity(taskOf(4, { constants: ["A", "B"] }))).toBe(taskIdentity(taskOf(4, { constants: ["B", "A"] })));
  });

  it("and not where shapes, target, numerics, threads or constants differ", () => {
    const tasks = [
      taskOf(4),
      taskOf(5),
      taskOf(4, { target: targets.avx2 }),
      taskOf(4, { target: { ...targets.wasm, l2Bytes: 1 } }),
      taskOf(4, { numerics: "strict" }),
      taskOf(4, { threads: 2 }),
      taskOf(4, { constants: ["B"] }),
    ];
    expect(new Set(tasks.map(taskIdentity)).size).toBe(tasks.length);
  });
});

describe("extractTasks", () => {
  it("gives each task once, with the weight of all that share it, in the order in which they came", () => {
    const requests = [
      { task: taskOf(8) },
      { task: taskOf(4), weight: 3 },
      { task: taskOf(8, {}, "other"), weight: 10 },
      { task: taskOf(4) },
    ];
    expect(extractTasks(requests)).toEqual([
      { task: requests[0]!.task, weight: 11, requests: [0, 2] },
      { task: requests[1]!.task, weight: 4, requests: [1, 3] },
    ]);
    expect(extractTasks([])).toEqual([]);
  });
});

it("a family is one operator for one target, in any shape", () => {
  expect(familyOnTarget(taskOf(4))).toBe(familyOnTarget(taskOf(512, {}, "product")));
  expect(familyOnTarget(taskOf(4))).not.toBe(familyOnTarget(taskOf(4, { target: targets.avx2 })));
  const gemv = instantiate(opLibrary.gemv({ M: 4, K: 8 }), {}, "gemm");
  expect(familyOnTarget(taskOf(4))).not.toBe(familyOnTarget({ ...taskOf(4), op: gemv }));
});
