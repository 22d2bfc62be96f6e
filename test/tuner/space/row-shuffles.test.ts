// Rows whose parts neighbouring threads add up by shuffles: their schedules are right after every pass, and take the memory of a group that their
// constraints say, none where all threads of a row are neighbours.

import { describe, expect, test } from "vitest";
import { cudaSm80, instantiate, type LoopFunc, opLibrary, webgpu, withShuffles } from "../../../src/compiler/index.ts";
import { walkStmt } from "../../../src/compiler/ir/visit.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { inTurn } from "../../support/long.ts";
import { referenceOf } from "../../support/reference.ts";
import {
  describeSchedule,
  drawSchedules,
  groupBytesIn,
  loweredThreads,
  threadSpace,
  wrongThreads,
} from "../../support/thread-schedules.ts";

const { gemv, layerNorm, softmax, sum } = opLibrary;

const ops = [
  ["softmax", softmax({ M: 4, N: 72 })],
  ["layerNorm", layerNorm({ M: 6, N: 45 })],
  ["gemv", gemv({ M: 48, K: 90 })],
  ["sums of bytes", sum({ M: 16, N: 64, dtype: "i8" })],
] as const;

const targets = [withShuffles(webgpu, 8), cudaSm80];
const cases = ops.flatMap(([title, op]) => targets.map((target) => [title, target.name, op, target] as const));

describe("rows by shuffles", () => {
  inTurn(2).each(cases)("of %s for %s", (_, __, library, target) => {
    const op = instantiate(library, {}, "op");
    const reference = referenceOf(op, createRng(3));
    const templates = threadSpace(op, "fast", target).templates.filter(({ name }) => name.endsWith(", by shuffles"));
    expect(templates.length).toBeGreaterThan(0);
    for (const drawn of templates.flatMap((template) => drawSchedules(template, 2, 1))) {
      expect(wrongThreads(reference, drawn, "fast", target)).toBeNull();
      const func = loweredThreads(op, drawn, "fast", target);
      const bytes = Object.entries(drawn.assignment).find(([name]) => name.endsWith(".group-bytes"));
      expect(groupBytesIn(func), describeSchedule(drawn)).toBe(bytes?.[1] ?? 0);
      expect(shufflesIn(func), describeSchedule(drawn)).toBeGreaterThan(0);
    }
  });

  test("are none where threads have no subgroups", () => {
    const { templates } = threadSpace(instantiate(softmax({ M: 8, N: 300 }), {}, "op"), "fast", webgpu);
    expect(templates.filter(({ name }) => name.includes("by shuffles"))).toEqual([]);
  });
});

function shufflesIn({ body }: LoopFunc): number {
  let count = 0;
  walkStmt(body, (stmt) => {
    if (stmt.kind === "define" && stmt.value.kind === "shuffle") count++;
  });
  return count;
}
