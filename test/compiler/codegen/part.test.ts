// Buffers of which each thread has its own, where threads share loops.

import { expect, test } from "vitest";
import { ownBuffers, partsOf } from "../../../src/compiler/codegen/part.ts";
import {
  add,
  constInt,
  constOf,
  forLoop,
  ifThen,
  loadOf,
  lt,
  mul,
  store,
  variable,
} from "../../../src/compiler/ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { body, buffer } from "./c/flat-functions.ts";

const x = buffer("x", "f32", 10, "input");
const y = buffer("y", "f32", 10, "output");
const s = buffer("s", "f32", 10, "workspace");
const t = buffer("t", "f32", 4, "workspace");

const i = variable("i");
const inBlock = (block: string): Expr => add(mul(variable(block), constInt(4)), i);
const inTail = add(i, constInt(8));

/** Three blocks of four, the last of which has two elements: what the pass that cuts tails makes of a parallel loop. */
const blocks = (name: string, whole: (at: Expr) => Stmt): Stmt => {
  const isWhole = lt(variable(name), constInt(2));
  const [four, two] = [forLoop("i", 4, whole(inBlock(name))), forLoop("i", 2, whole(inTail))];
  return forLoop(name, 3, ifThen(isWhole, four, two), "parallel");
};

const own = (...loops: readonly Stmt[]): readonly string[] => {
  const func: LoopFunc = { name: "f", buffers: [x, y, s, t], body: body(...loops) };
  const parts = partsOf(func);
  expect(parts.map(({ loop }) => loop)).toEqual(
    loops.filter((stmt) => stmt.kind === "for" && stmt.mark === "parallel"),
  );
  return [...ownBuffers(func, parts)];
};

const copy = blocks("p", (at) => store(s, [at], loadOf(x, [at])));

test("what is written in one loop and read in another is all threads', its tail too", () => {
  expect(
    own(
      copy,
      blocks("q", (at) => store(y, [at], loadOf(s, [at]))),
    ),
  ).toEqual([]);
});

test("what every iteration writes anew is its thread's, in each of the loops", () => {
  const through = (name: string): Stmt =>
    blocks(name, (at) => body(store(t, [i], loadOf(x, [at])), store(y, [at], loadOf(t, [i]))));
  expect(own(through("p"))).toEqual(["t"]);
  expect(own(through("p"), through("q"))).toEqual(["t"]);
});

test("what another loop goes on with is all threads'", () => {
  const clear = forLoop("p", 2, forLoop("i", 4, store(t, [i], constOf("f32", 0))), "parallel");
  const addTo = forLoop("q", 2, forLoop("i", 4, store(t, [i], add(loadOf(t, [i]), loadOf(x, [i])))), "parallel");
  expect(own(clear, addTo)).toEqual([]);
});

test("what code outside of the loops names is all threads'", () => {
  const through = blocks("p", (at) => body(store(t, [i], loadOf(x, [at])), store(y, [at], loadOf(t, [i]))));
  expect(own(through, forLoop("i", 4, store(y, [i], loadOf(t, [i]))))).toEqual([]);
});
