import { expect, test } from "vitest";
import gemmOp from "../../../fixtures/ops/gemm.op.ts";
import { instantiate, type Trace, targets } from "../../../src/compiler/index.ts";
import type { Postprocessor } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { codeSizeLimit, stackLimit, workspaceLimit } from "../../../src/tuner/kernel/limits.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { handSchedule } from "../../../src/tuner/space/template/template.ts";
import { measurable } from "../../../src/tuner/workbench/measurable.ts";

const op = instantiate(gemmOp, { M: 12, N: 16, K: 10 }, "gemm");

/** B packed whole, rows of sums in registers, everything else unrolled. */
const trace: Trace = [
  { kind: "split", loop: "C.j", factors: [0, 4], tail: "perfect" },
  { kind: "reorder", loops: ["C.j.0", "C.i", "C.k", "C.j.1"] },
  {
    kind: "cache-read",
    buffer: "B",
    loop: "C.j.0",
    layout: [
      { dim: 0, part: "whole", tile: 1 },
      { dim: 1, part: "whole", tile: 1 },
    ],
  },
  { kind: "cache-write", block: "C", loop: "C.i", scope: "register" },
  { kind: "unroll", loop: "C.j.1" },
  { kind: "unroll", loop: "C.k" },
];

function outcome(target: "wasm" | "avx2", ...postprocessors: readonly Postprocessor[]): string {
  const task: TuningTask = { op, target: targets[target], numerics: "fast", threads: 1 };
  const space = { ...generateSpace(task, [], [handSchedule("by hand", trace)]), postprocessors };
  const result = measurable(task, space, { template: "by hand", assignment: {} });
  return "reason" in result ? result.reason : result.kind;
}

test("kernels within the limits pass, others are refused with a reason and are not built", () => {
  // 10 rows of 4 elements of B at a time, in C with a line on either side; 4 sums.
  expect(outcome("avx2", workspaceLimit(256), stackLimit(16), codeSizeLimit({ statements: 1000 }))).toBe("c");
  expect(outcome("wasm", workspaceLimit(160), stackLimit(16), codeSizeLimit({ bytes: 10_000 }))).toBe("wasm");
  expect(outcome("wasm", workspaceLimit(159))).toBe("workspace: 160 bytes, at most 159");
  expect(outcome("avx2", workspaceLimit(255))).toBe("workspace: 256 bytes, at most 255");
  expect(outcome("avx2", stackLimit(15))).toBe("stack: 16 bytes in registers, at most 15");
  expect(outcome("avx2", codeSizeLimit({ statements: 20 }))).toMatch(/^code size: \d+ statements, at most 20$/);
  expect(outcome("wasm", codeSizeLimit({ bytes: 20 }))).toMatch(/^code size: \d+ bytes of code, at most 20$/);
});

test("one of one's own sees the kernel, and is not asked after a refusal", () => {
  const seen: string[] = [];
  const own: Postprocessor = {
    name: "no unrolling of k",
    apply: (facts) => {
      seen.push(
        `${facts.candidate.template} ${facts.source.kind} ${facts.nest.buffers.map(({ name }) => name).join(" ")}`,
      );
      const isUnrolled = facts.trace.some((it) => it.kind === "unroll" && it.loop === "C.k");
      return isUnrolled ? { kind: "refused", reason: "k is long" } : { kind: "ok" };
    },
  };
  expect(outcome("wasm", own)).toBe("no unrolling of k: k is long");
  expect(outcome("wasm", stackLimit(1), own)).toBe("stack: 16 bytes in registers, at most 1");
  expect(seen).toEqual(["by hand wasm A B C B.pack C.acc"]);
});
