// Launches of a function: its parallel loops, and what is between them. And buffers of which each thread has its own.

import { describe, expect, test } from "vitest";
import {
  add,
  constInt,
  constOf,
  define,
  forLoop,
  ifThen,
  loadOf,
  localOf,
  lt,
  mul,
  store,
  variable,
} from "../../../src/compiler/ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { type Program, programOf } from "../../../src/compiler/launch/program.ts";
import { body, buffer } from "../codegen/c/flat-functions.ts";

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

const programFor = (threads: number, ...stmts: readonly Stmt[]): Program => {
  const func: LoopFunc = { name: "f", buffers: [x, y, s, t], body: body(...stmts) };
  return programOf(func, threads);
};

const own = (...loops: readonly Stmt[]): readonly string[] => {
  const program = programFor(2, ...loops);
  expect(program.grids.map(({ loop }) => loop)).toEqual(
    loops.filter((stmt) => stmt.kind === "for" && stmt.mark === "parallel"),
  );
  return [...program.own];
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

describe("launches", () => {
  const set = (at: number): Stmt => store(y, [constInt(at)], constOf("f32", 1));
  const kinds = ({ launches }: Program) =>
    launches.map((it) => (it.kind === "grid" ? it.name : it.body.kind === "seq" ? it.body.body.length : it.body.kind));

  test("are the parallel loops, in order, and the statements between them together", () => {
    const program = programFor(4, set(0), set(1), copy, copy, set(2));
    expect(kinds(program)).toEqual([2, "f_part0", "f_part1", 1]);
    expect(program.threads).toBe(4);
  });

  test("are one where there is one thread, or nothing to share", () => {
    expect(kinds(programFor(1, set(0), copy))).toEqual([2]);
    const once = forLoop("p", 1, store(y, [variable("p")], constOf("f32", 1)), "parallel");
    expect(kinds(programFor(4, set(0), once))).toEqual([2]);
    expect(programFor(4, set(0), once).threads).toBe(1);
  });

  test("are one where a value outlives the statements before a loop", () => {
    const value = define("v", loadOf(x, [constInt(0)]));
    const use = store(y, [constInt(0)], localOf("v", "f32"));
    expect(kinds(programFor(4, value, copy, use))).toEqual([3]);
    expect(kinds(programFor(4, value, use, copy))).toEqual([2, "f_part0"]);
  });
});
