// A 6×16 register tile on avx2: what every pass makes of it (golden), and what must be true of the inner loop.

import { describe, expect, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import { lower } from "../../../src/compiler/backend/lower.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";
import { fromCompute } from "../../../src/compiler/ir/from-compute.ts";
import type { For, LoopFunc, Stmt, TailStrategy } from "../../../src/compiler/ir/loop-ir.ts";
import { printFunc, printStmt } from "../../../src/compiler/ir/print.ts";
import { walkStmt } from "../../../src/compiler/ir/visit.ts";
import { schedule } from "../../../src/compiler/schedule/replay/replay.ts";
import { targets } from "../../../src/compiler/target/targets.ts";

function tiledGemm(M: number, N: number, K: number, tail: TailStrategy): LoopFunc {
  return schedule(fromCompute(instantiate(gemm, { M, N, K }, "gemm")), [
    { kind: "split", loop: "C.i", factors: [0, 6], tail },
    { kind: "split", loop: "C.j", factors: [0, 16], tail },
    { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.k", "C.i.1", "C.j.1"] },
    { kind: "vectorize", loop: "C.j.1" },
    { kind: "unroll", loop: "C.i.1" },
    { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
  ]);
}

function dumps(scheduled: LoopFunc): string {
  const sections = [`── scheduled ──\n${printFunc(scheduled)}`];
  // A pass that had nothing to do would only repeat the text.
  let last: LoopFunc | null = null;
  const dump = (name: string, func: LoopFunc) => {
    if (func !== last) sections.push(`── ${name} ──\n${printFunc(func)}`);
    last = func;
  };
  lower(scheduled, { target: targets.avx2, numerics: "fast", dump });
  return `${sections.join("\n")}\n`;
}

function findLoop(func: LoopFunc, name: string): For {
  const found: For[] = [];
  walkStmt(func.body, (stmt) => stmt.kind === "for" && stmt.name === name && found.push(stmt));
  return found[0]!;
}

function statements(stmt: Stmt): readonly string[] {
  return printStmt(stmt)
    .split("\n")
    .map((line) => line.trim());
}

describe("a register tile", () => {
  test.each(["mask", "cut"] as const)("goes through the passes (%s)", async (tail) => {
    await expect(dumps(tiledGemm(13, 19, 5, tail))).toMatchFileSnapshot(`gemm-13x19x5-${tail}.expect.txt`);
  });

  test.each(["mask", "cut", "guard"] as const)("has twelve accumulators and no memory of its own (%s)", (tail) => {
    const func = lower(tiledGemm(48, 64, 32, tail), { target: targets.avx2, numerics: "fast" });
    const defined: string[] = [];
    walkStmt(func.body, (stmt) => stmt.kind === "define" && stmt.name.startsWith("C.acc") && defined.push(stmt.name));
    expect(defined).toHaveLength(12);
    expect(func.buffers.map(({ name }) => name)).toEqual(["A", "B", "C"]);
  });

  test("the inner loop only loads, broadcasts, multiplies and adds", () => {
    const func = lower(tiledGemm(48, 64, 32, "mask"), { target: targets.avx2, numerics: "fast" });
    const lines = statements(findLoop(func, "C.k").body);
    const loads = lines.filter((line) =>
      /^let load_\d+: f32x8 = (broadcast\(A\[.*\], 8\)|B\[ramp\(.*, 1, 8\)\])$/.test(line),
    );
    const sums = lines.filter((line) => /^C\.acc_(\d+) = C\.acc_\1 \+ load_\d+ \* load_\d+$/.test(line));
    expect([loads.length, sums.length, lines.length]).toEqual([8, 12, 20]);
  });
});
