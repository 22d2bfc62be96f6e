// Schedules that earlier versions have recorded for GPUs are in the spaces of today, and are lowered as they are: ways that were added
// since have names of their own, so that locks keep their decisions.

import { expect, test } from "vitest";
import { instantiate, webgpu } from "../../../src/compiler/index.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { candidateKey, findPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { readLines } from "../../bench/json-lines.ts";
import type { GpuRow } from "../../bench/webgpu/row.ts";
import { gpuWorks } from "../../bench/webgpu/works.ts";

const rows = ["rows", "page-rows"].flatMap((name) => readLines<GpuRow>(`test/bench/webgpu/${name}.jsonl`));

test.each(gpuWorks.map((work) => [work.name, work] as const))("%s", (name, { op }) => {
  const task: TuningTask = { op: instantiate(op, {}, "op"), target: webgpu, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const search = searchSpace(space);
  const recorded = rows.filter(({ work }) => work === name).flatMap(({ schedules }) => Object.values(schedules));
  const different = [...new Map(recorded.map((it) => [candidateKey(it), it])).values()];
  expect(different.length).toBeGreaterThan(1);
  for (const candidate of different) {
    expect(findPoint(search, candidate), candidateKey(candidate)).not.toBeNull();
    expect(candidateKernel(task, space, candidate).kind, candidateKey(candidate)).toBe("ok");
  }
});
