// The printed form of every kind of node.

import { describe, expect, test } from "vitest";
import {
  add,
  and,
  assign,
  binary,
  bitcast,
  broadcast,
  cast,
  constInt,
  constOf,
  define,
  div,
  floorDiv,
  forLoop,
  ge,
  ifThen,
  interleave,
  lanesFrom,
  loadOf,
  localOf,
  lt,
  max,
  min,
  mod,
  mul,
  or,
  prefetch,
  ramp,
  select,
  seq,
  store,
  sub,
  unary,
  variable,
} from "../../../src/compiler/ir/build.ts";
import { printExpr, printFunc, printStmt } from "../../../src/compiler/ir/print.ts";
import { f32, naiveGemm, splitGemm } from "./nests.ts";

const [x, y] = [variable("x"), variable("y")];
const A = f32("A", [8, 64], "input");
const B = f32("B", [64], "output");

describe("functions", () => {
  test("scheduled, naive", () => {
    expect(printFunc(naiveGemm(61, 83, 97))).toBe(`gemm_f32_61x83x97
  input     A: f32[61, 97]
  input     B: f32[97, 83]
  output    C: f32[61, 83]

for C.i in 0..61
  for C.j in 0..83
    for C.k in 0..97
      block C (i = C.i in 0..61, j = C.j in 0..83, reduce k = C.k in 0..97)
        C[i, j] = 0.0 first
        C[i, j] += A[i, k] * B[k, j]`);
  });

  test("brief, with marks", () => {
    expect(printStmt(splitGemm(61, 83, 97).body, { brief: true, marked: ["C.j.1", "C"] })).toBe(
      `   for C.i in 0..61 parallel
     for C.k in 0..97
       for C.j.0 in 0..21
 ▶       for C.j.1 in 0..4 vectorized mask
 ▶         C[i, j] += A[i, k] * B[k, j]`,
    );
  });

  test("lowered, with vectors and locals", () => {
    const j = ramp(mul(x, constInt(16)), 1, 16);
    const acc = define("acc", broadcast(constOf("f32", 0), 16));
    const sum = localOf("acc", "f32", 16);
    const body = seq(
      acc,
      forLoop("y", 8, assign("acc", add(sum, loadOf(A, [y, j]))), "unrolled"),
      ifThen(lt(x, constInt(3)), store(B, [j], sum), store(B, [j], sum, sub(constInt(60), mul(x, constInt(16))))),
    );
    expect(
      printStmt(forLoop("x", 4, seq(body, seq(acc, store(B, [constInt(0)], constOf("f32", 1)))))),
    ).toBe(`for x in 0..4
  {
    let acc: f32x16 = broadcast(0.0, 16)
    for y in 0..8 unrolled
      acc = acc + A[y, ramp(x * 16, 1, 16)]
    if x < 3
      B[ramp(x * 16, 1, 16)] = acc
    else
      B[ramp(x * 16, 1, 16); 60 - x * 16 lanes] = acc
  }
  {
    let acc: f32x16 = broadcast(0.0, 16)
    B[0] = 1.0
  }`);
  });
});

test("hints", () => {
  const index = add(x, constInt(4));
  const body = seq(prefetch(A, [index, constInt(0)], false), prefetch(B, [index], true));
  expect(printStmt({ ...forLoop("x", 4, body), annotations: { unroll: 2, "prefetch A": 4 } })).toBe(
    `for x in 0..4 (prefetch A: 4, unroll: 2)
  prefetch A[x + 4, 0]
  prefetch B[x + 4] to write`,
  );
});

describe("expressions", () => {
  test.each([
    [sub(sub(x, y), x), "x - y - x"],
    [sub(x, sub(y, x)), "x - (y - x)"],
    [mul(add(x, y), floorDiv(x, constInt(3))), "(x + y) * (x // 3)"],
    [mod(mul(x, y), constInt(7)), "x * y % 7"],
    [or(and(lt(x, y), ge(y, x)), lt(y, y)), "x < y && y >= x || y < y"],
    [and(or(lt(x, y), ge(y, x)), lt(y, y)), "(x < y || y >= x) && y < y"],
    [unary("neg", add(x, y)), "-(x + y)"],
    [unary("neg", constInt(3)), "-(3)"],
    [unary("not", lt(x, y)), "!(x < y)"],
    [unary("exp", constOf("f32", 0.5)), "exp(0.5)"],
    [min(x, max(y, constInt(2))), "min(x, max(y, 2))"],
    [binary("shl", x, binary("bitAnd", y, constInt(31))), "x << (y & 31)"],
    [select(lt(x, y), constOf("f64", 1), constOf("f64", Number.NaN)), "select(x < y, 1.0f64, nanf64)"],
    [cast("f16", constOf("f32", -0)), "f16(-0.0)"],
    [bitcast("i64", constOf("f64", 1e-310)), "bits.i64(1e-310f64)"],
    [lanesFrom([x, y, constInt(0)]), "lanes(x, y, 0)"],
    [interleave([ramp(x, 1, 4), broadcast(y, 4)]), "interleave(ramp(x, 1, 4), broadcast(y, 4))"],
    [constOf("bool", 1), "true"],
    [constOf("u8", 200), "200u8"],
    [constOf("i64", -5), "-5i64"],
    [div(constOf("f32", Number.POSITIVE_INFINITY), constOf("f32", 1e30)), "inf / 1e+30"],
  ])("%#: %o", (expr, text) => {
    expect(printExpr(expr)).toBe(text);
  });
});

describe("folding", () => {
  test.each([
    [add(x, constInt(0)), "x"],
    [mul(constInt(1), x), "x"],
    [mul(x, constInt(0)), "0"],
    [add(mul(constInt(3), constInt(5)), constInt(-1)), "14"],
    [floorDiv(constInt(-7), constInt(2)), "-4"],
    [mod(constInt(-7), constInt(4)), "1"],
    [lt(constInt(2), constInt(3)), "true"],
    [add(constOf("f32", 1), constOf("f32", 0)), "1.0 + 0.0"],
  ])("%#: gives %s", (expr, text) => {
    expect(printExpr(expr)).toBe(text);
  });
});
