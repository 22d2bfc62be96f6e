// The pass around the expansions: where the locals go, what stays guarded, and that lanes equal scalars.

import { expect, test } from "vitest";
import {
  constInt,
  constOf,
  define,
  forLoop,
  ge,
  lanesFrom,
  loadOf,
  localFrom,
  lt,
  mul,
  ramp,
  select,
  seq,
  store,
  sub,
  unary,
  variable,
} from "../../../../src/compiler/ir/build.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import type { LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { printStmt } from "../../../../src/compiler/ir/print.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import { expandedUnary } from "../../../../src/compiler/lower/math/expansions.ts";
import { expandMathIn } from "../../../../src/compiler/lower/pass/expand-math.ts";
import { f32 } from "../../ir/nests.ts";
import { operands } from "../math/operands.ts";
import { mathFunc } from "../math/ulp.ts";

const X = f32("X", [64], "input");
const Y = f32("Y", [64], "output");
const i = variable("i");
const func = (body: Stmt): LoopFunc => ({ name: "f", buffers: [X, Y], body });
const expanded = (body: Stmt): LoopFunc => expandMathIn(func(body));

test("rsqrt, the shortest", () => {
  const half = define("half", unary("rsqrt", loadOf(X, [i])));
  const body = forLoop("i", 64, seq(half, store(Y, [i], mul(localFrom(half), constOf("f32", 0.5)))));
  expect(printStmt(expanded(body).body)).toBe(`for i in 0..64
  let rsqrt.0: f32 = 1.0 / sqrt(X[i])
  let half: f32 = rsqrt.0
  Y[i] = half * 0.5`);
});

test("a function without math stays the same object", () => {
  const same = func(forLoop("i", 64, store(Y, [i], loadOf(X, [i]))));
  expect(expandMathIn(same)).toBe(same);
});

test("a load that leaves a select takes its conditions along", () => {
  const at = sub(i, constInt(1));
  const inner = select(lt(i, constInt(60)), unary("exp", loadOf(X, [at])), constOf("f32", 7));
  const value = select(ge(i, constInt(1)), inner, unary("exp", constOf("f32", 1)));
  const before = func(forLoop("i", 64, store(Y, [i], value)));
  const after = expandMathIn(before);
  expect(printStmt(after.body)).toContain(
    "let exp.0: f32 = min(max(select(i >= 1, select(i < 60, X[i - 1], 0.0), 0.0), -104.0), 89.0)",
  );
  const inputs = { X: Float32Array.from({ length: 64 }, (_, at) => Math.fround(at / 16)) };
  const [wanted, got] = [interpret(before, inputs).Y!, interpret(after, inputs).Y!];
  for (const [at, exact] of wanted.entries()) expect(Math.abs(got[at]! - exact)).toBeLessThanOrEqual(exact * 2 ** -23);
});

test("lanes of one function are computed as a vector", () => {
  const each = [0, 1, 2, 3].map((lane) => unary("sigmoid", loadOf(X, [constInt(lane * 3)])));
  const text = printStmt(expanded(store(Y, [ramp(constInt(0), 1, 4)], lanesFrom(each))).body);
  expect(text).toContain("let sigmoid.0: f32x4 = lanes(X[0], X[3], X[6], X[9])");
});

test.each([...expandedUnary, "pow"] as const)("%s: the lanes of a vector equal scalars, bit for bit", (op) => {
  for (const dtype of ["f32", "f64"] as const) {
    const scalar = mathFunc(op, dtype, 64);
    const [X64, Y64] = [operands(dtype, 64, 3), operands(dtype, 64, 4)];
    const loads = scalar.buffers.slice(0, -1).map((buffer) => loadOf(buffer, [ramp(mul(i, constInt(8)), 1, 8)]));
    const value =
      op === "pow" ? { kind: "binary" as const, dtype, op, left: loads[0]!, right: loads[1]! } : unary(op, loads[0]!);
    const body = forLoop("i", 8, store(scalar.buffers.at(-1)!, [ramp(mul(i, constInt(8)), 1, 8)], value));
    const inputs = op === "pow" ? { X: X64, Y: Y64 } : { X: X64 };
    const wanted = interpret(expandMathIn(scalar), inputs);
    expect(interpret(expandMathIn({ ...scalar, body }), inputs)).toEqual(wanted);
  }
});

test("nothing is left of the functions", () => {
  for (const op of [...expandedUnary, "pow"] as const) {
    const left: string[] = [];
    walkStmt(
      expandMathIn(mathFunc(op, "f64", 4)).body,
      () => {},
      (expr) => {
        if (expr.kind === "unary" || expr.kind === "binary") left.push(expr.op);
      },
    );
    for (const name of [...expandedUnary, "pow"]) expect(left).not.toContain(name);
  }
});
