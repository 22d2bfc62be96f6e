// Traversals: sharing, scoping and order.

import { expect, test } from "vitest";
import { add, constInt, forLoop, mul, prefetch, seq, store, variable } from "../../../src/compiler/ir/build.ts";
import type { Expr } from "../../../src/compiler/ir/loop-ir.ts";
import { printStmt } from "../../../src/compiler/ir/print.ts";
import { mapExpr, mapExprsIn, substitute, substituteStmt, varsIn, walkStmt } from "../../../src/compiler/ir/visit.ts";
import { f32, splitGemm } from "./nests.ts";

test("a traversal that changes nothing returns the same node", () => {
  const { body } = splitGemm(3, 5, 7);
  expect(mapExprsIn(body, (expr) => expr)).toBe(body);
  expect(substituteStmt(body, new Map([["elsewhere", constInt(1)]]))).toBe(body);
});

test("unchanged parts are shared", () => {
  const left = mul(variable("x"), variable("y"));
  const sum = add(left, variable("z"));
  const mapped = substitute(sum, new Map([["z", constInt(4)]]));
  expect(mapped.kind === "binary" && mapped.left).toBe(left);
  expect([...varsIn(mapped)]).toEqual(["x", "y"]);
});

test("substitution in a block reaches bindings, not axes", () => {
  const text = printStmt(substituteStmt(splitGemm(3, 5, 7).body, new Map<string, Expr>([["i", constInt(9)]])));
  expect(text).toContain("C[i, j] += A[i, k] * B[k, j]");
});

test("a loop hides a variable of its name", () => {
  const out = f32("B", [8], "output");
  const inner = forLoop("x", 4, store(out, [variable("x")], variable("x")));
  const both = seq(inner, store(out, [variable("x")], variable("x")));
  expect(printStmt(substituteStmt(both, new Map([["x", constInt(7)]])))).toBe(`for x in 0..4
  B[x] = x
B[7] = 7`);
});

test("the indices of a hint are its own", () => {
  const hint = prefetch(f32("B", [8], "input"), [add(variable("x"), constInt(4))], false);
  expect(printStmt(substituteStmt(hint, new Map([["x", variable("y")]])))).toBe("prefetch B[y + 4]");
  expect(substituteStmt(hint, new Map([["z", variable("y")]]))).toBe(hint);
  const met: string[] = [];
  walkStmt(
    hint,
    (stmt) => met.push(stmt.kind),
    (expr) => met.push(expr.kind),
  );
  expect(met).toEqual(["prefetch", "binary", "var", "const"]);
});

test("walkStmt meets statements before expressions, parents first", () => {
  const met: string[] = [];
  walkStmt(
    splitGemm(2, 3, 4).body,
    (stmt) => met.push(stmt.kind),
    (expr) => met.push(expr.kind),
  );
  expect(met.slice(0, 7)).toEqual(["for", "for", "for", "for", "block", "var", "binary"]);
});

test("mapExpr is bottom-up", () => {
  const order: string[] = [];
  mapExpr(add(variable("x"), mul(variable("y"), variable("z"))), (expr) => {
    order.push(expr.kind === "binary" ? expr.op : expr.kind);
    return expr;
  });
  expect(order).toEqual(["var", "var", "var", "mul", "add"]);
});
