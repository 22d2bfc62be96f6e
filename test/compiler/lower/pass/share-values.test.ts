// Values that a statement uses several times become locals before it; nothing is evaluated where it could leave a
// buffer.

import { expect, test } from "vitest";
import {
  add,
  assign,
  constInt,
  constOf,
  define,
  div,
  forLoop,
  ge,
  loadOf,
  localOf,
  mul,
  select,
  seq,
  store,
  sub,
  unary,
  variable,
} from "../../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { printStmt } from "../../../../src/compiler/ir/print.ts";
import { assertVerified } from "../../../../src/compiler/ir/verify.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import { shareValues } from "../../../../src/compiler/lower/pass/share-values.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";

const buffers: readonly Buffer[] = [
  { name: "X", dtype: "f32", shape: [8], role: "input", memory: "caller" },
  { name: "I", dtype: "i32", shape: [8], role: "input", memory: "caller" },
  { name: "Y", dtype: "f32", shape: [8], role: "output", memory: "caller" },
  { name: "J", dtype: "i32", shape: [8], role: "output", memory: "caller" },
];
const [X, I, Y, J] = buffers as [Buffer, Buffer, Buffer, Buffer];
const i = variable("i");
const x = loadOf(X, [i]);

function shared(stmt: Stmt): Stmt {
  const func: LoopFunc = { name: "f", buffers, body: forLoop("i", 8, stmt) };
  const after = shareValues.run(func, { target: targets.wasm, numerics: "fast" });
  assertVerified(after, "flat");
  return after.body;
}

const after = (value: Expr, buffer: Buffer = Y): string => printStmt(shared(store(buffer, [i], value)));

test("a value is computed once, one that is short again", () => {
  const quotient = div(x, add(x, constOf("f32", 1)));
  expect(after(mul(quotient, div(x, add(x, constOf("f32", 1)))))).toMatchInlineSnapshot(`
    "for i in 0..8
      let value.0: f32 = X[i] / (X[i] + 1.0)
      Y[i] = value.0 * value.0"
  `);
  const short = mul(sub(x, constOf("f32", 1)), sub(x, constOf("f32", 1)));
  expect(after(short)).toMatchInlineSnapshot(`
    "for i in 0..8
      Y[i] = (X[i] - 1.0) * (X[i] - 1.0)"
  `);
});

test("functions are worth a local, wherever they are used", () => {
  const power = unary("exp", x);
  const value = select(ge(i, constInt(3)), mul(power, power), power);
  expect(after(value)).toMatchInlineSnapshot(`
    "for i in 0..8
      let value.0: f32 = exp(X[i])
      Y[i] = select(i >= 3, value.0 * value.0, value.0)"
  `);
});

test("what moves out of a choice asks whether it stays in its buffer", () => {
  const before = unary("sqrt", loadOf(X, [sub(i, constInt(1))]));
  expect(after(select(ge(i, constInt(1)), mul(before, before), constOf("f32", 0)))).toMatchInlineSnapshot(`
    "for i in 0..8
      let value.0: f32 = sqrt(select(i - 1 >= 0 && i - 1 <= 7, X[i - 1], 0.0))
      Y[i] = select(i >= 1, value.0 * value.0, 0.0)"
  `);
});

test("a divisor that a choice keeps positive stays so", () => {
  const [a, b] = [loadOf(I, [i]), loadOf(I, [i])];
  const quotient: Expr = {
    kind: "binary",
    dtype: "i32",
    op: "floorDiv",
    left: constInt(99),
    right: add(a, constInt(0)),
  };
  const value = select(ge(b, constInt(1)), mul(quotient, quotient), constInt(0));
  expect(after(value, J)).toMatchInlineSnapshot(`
    "for i in 0..8
      let value.0: i32 = 99 // max(I[i], 1)
      J[i] = select(I[i] >= 1, value.0 * value.0, 0)"
  `);
});

test("statements grow with the operations, however often values are used, and none is deep", () => {
  const statements = (steps: number): number => {
    let value: Expr = x;
    for (let step = 0; step < steps; step++) value = mul(add(value, div(x, value)), constOf("f32", 0.5));
    let count = 0;
    walkStmt(shared(store(Y, [i], value)), () => count++);
    return count;
  };
  expect(statements(400) - statements(200)).toBe(200);
  let chain: Expr = x;
  for (let step = 0; step < 1500; step++) chain = add(chain, constOf("f32", 1));
  const deepest = Math.max(
    ...after(chain)
      .split("\n")
      .map((line) => line.split("+").length),
  );
  expect(deepest).toBeLessThan(60);
});

// ── values that a loop computes again ───────────────────────────────────────────────────────────────────────────────

const rows = (...body: readonly Stmt[]): string => {
  const inner = forLoop("j", 4, seq(...body));
  return printStmt(shared(seq(define("v", x), inner)));
};
const v = localOf("v", "f32");
const j = variable("j");
const root = unary("sqrt", add(v, constOf("f32", 1)));

test("a root of what no iteration changes is computed before the loop, by itself or in a larger value", () => {
  expect(rows(store(Y, [j], mul(loadOf(X, [j]), div(constOf("f32", 1), root))))).toMatchInlineSnapshot(`
    "for i in 0..8
      let v: f32 = X[i]
      let value.0: f32 = 1.0 / sqrt(v + 1.0)
      for j in 0..4
        Y[j] = X[j] * value.0"
  `);
  expect(
    rows(store(Y, [j], mul(root, loadOf(X, [j]))), store(Y, [i], div(loadOf(X, [j]), root))),
  ).toMatchInlineSnapshot(`
    "for i in 0..8
      let v: f32 = X[i]
      let value.0: f32 = sqrt(v + 1.0)
      for j in 0..4
        Y[j] = value.0 * X[j]
        Y[i] = X[j] / value.0"
  `);
});

test("locals leave the loop with what is made of them", () => {
  expect(rows(define("w", unary("exp", v)), store(Y, [j], div(localOf("w", "f32"), v)))).toMatchInlineSnapshot(`
    "for i in 0..8
      let v: f32 = X[i]
      let w: f32 = exp(v)
      let value.0: f32 = w / v
      for j in 0..4
        Y[j] = value.0"
  `);
});

test("what an iteration changes stays, and so does what takes no longer than a local", () => {
  const w = localOf("w", "f32");
  const assigned = [define("w", v), assign("w", mul(w, v)), store(Y, [j], unary("sqrt", w))];
  expect(rows(...assigned, store(Y, [i], add(mul(v, v), unary("sqrt", loadOf(X, [j])))))).toMatchInlineSnapshot(`
    "for i in 0..8
      let v: f32 = X[i]
      for j in 0..4
        let w: f32 = v
        w = w * v
        Y[j] = sqrt(w)
        Y[i] = v * v + sqrt(X[j])"
  `);
});

test("what no loop changes leaves them all", () => {
  const inner = forLoop("k", 4, store(Y, [variable("k")], mul(loadOf(X, [variable("k")]), root)));
  expect(rows(store(Y, [j], v), inner)).toMatchInlineSnapshot(`
    "for i in 0..8
      let v: f32 = X[i]
      let value.0: f32 = sqrt(v + 1.0)
      for j in 0..4
        Y[j] = v
        for k in 0..4
          Y[k] = X[k] * value.0"
  `);
});
