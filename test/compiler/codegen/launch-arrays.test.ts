// Statements that one thread runs, cut where they name too many arrays.

import { expect, test } from "vitest";
import { ofFewArrays } from "../../../src/compiler/codegen/launch-arrays.ts";
import { add, constInt, loadOf, localOf } from "../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { printStmt } from "../../../src/compiler/ir/print.ts";

const bufferOf = (name: string): Buffer => ({ name, dtype: "f32", shape: [1], memory: "caller" }) as unknown as Buffer;
const buffers = ["a", "b", "c", "d", "y", "z"].map(bufferOf);
const load = (name: string): Expr => loadOf(bufferOf(name), [constInt(0)]);
const store = (buffer: string, value: Expr): Stmt =>
  ({ kind: "store", buffer, indices: [constInt(0)], value, active: null }) as unknown as Stmt;
const define = (name: string, value: Expr): Stmt => ({ kind: "define", name, value }) as unknown as Stmt;
const local = (name: string): Expr => localOf(name, "f32");

const runsOf = (stmts: readonly Stmt[], mostArrays: number): readonly (readonly string[])[] =>
  ofFewArrays(stmts, buffers, mostArrays).map((run) => run.map((stmt) => printStmt(stmt).trim()));

const two = [
  define("t", load("a")),
  define("u", add(local("t"), load("b"))),
  store("y", add(local("u"), load("c"))),
  store("z", add(local("t"), load("d"))),
];

test("few arrays stay together, definitions in their places", () => {
  expect(ofFewArrays(two, buffers, 6)).toEqual([two]);
});

test("each run has the definitions that it needs, and those that they need", () => {
  const [t, u, y, z] = runsOf(two, 6)[0]!;
  expect(runsOf(two, 5)).toEqual([
    [t, u, y],
    [t, z],
  ]);
});

test("statements stay together where a later run would find another value", () => {
  const overwritten = [define("t", load("a")), store("a", load("b")), store("y", add(local("t"), load("c")))];
  expect(ofFewArrays(overwritten, buffers, 3)).toEqual([overwritten]);
});
