// Registers of threads are of single elements: a vector that is loaded of some that were stored one by one is put together of their locals.
// For machines with vectors such a buffer stays in memory.

import { describe, expect, test } from "vitest";
import { type LoopFunc, printFunc, type Stmt, targets, verify, webgpu } from "../../../../src/compiler/index.ts";
import { localBuffer, parameterBuffer } from "../../../../src/compiler/ir/buffer.ts";
import { constInt, constOf, loadOf, ramp, seq, store } from "../../../../src/compiler/ir/build.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import { promoteOwnRegisters } from "../../../../src/compiler/lower/pass/promote-own-registers.ts";
import { promoteRegisters } from "../../../../src/compiler/lower/pass/promote-registers.ts";

const own = localBuffer({ name: "own", dtype: "f32", shape: [4] }, "register");
const Y = parameterBuffer({ name: "Y", dtype: "f32", shape: [4] }, "output");

const one = (at: number): Stmt => store(own, [constInt(at)], constOf("f32", at + 1));
const all = ramp(constInt(0), 1, 4);

describe("elements that are stored one by one and loaded as a vector", () => {
  const func: LoopFunc = {
    name: "f",
    buffers: [own, Y],
    body: seq(one(0), one(1), one(2), one(3), store(Y, [all], loadOf(own, [all]))),
  };

  test("are joined where threads have registers", () => {
    const promoted = promoteOwnRegisters.run(func, { target: webgpu, numerics: "fast" });
    expect(promoted.buffers.map(({ name }) => name)).toEqual(["Y"]);
    let joined = 0;
    walkStmt(
      promoted.body,
      () => {},
      (expr) => {
        if (expr.kind === "lanes") joined = expr.elements.filter(({ kind }) => kind === "local").length;
      },
    );
    expect(joined, printFunc(promoted)).toBe(4);
    expect(verify(promoted, "flat")).toEqual([]);
  });

  test("stay in memory of machines with vectors", () => {
    const promoted = promoteRegisters.run(func, { target: targets.avx2, numerics: "fast" });
    expect(promoted.buffers.find(({ name }) => name === "own")?.memory).toBe("workspace");
  });
});

test("vectors of which a single element is stored again stay the thread's own memory", () => {
  const body = seq(store(own, [all], loadOf(Y, [all])), one(2), store(Y, [all], loadOf(own, [all])));
  const promoted = promoteOwnRegisters.run(
    { name: "f", buffers: [own, Y], body },
    { target: webgpu, numerics: "fast" },
  );
  expect(promoted.buffers.map(({ name, memory }) => [name, memory])).toContainEqual(["own", "register"]);
});
