// Well-formed functions pass; each way to be malformed is refused in words.

import { describe, expect, test } from "vitest";
import {
  add,
  assign,
  binary,
  bitcast,
  broadcast,
  constInt,
  constOf,
  define,
  forLoop,
  ifThen,
  interleave,
  loadOf,
  localOf,
  lt,
  prefetch,
  ramp,
  select,
  seq,
  store,
  unary,
  variable,
} from "../../../src/compiler/ir/build.ts";
import type { Buffer, LoopFunc, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { assertVerified, type Form, verify } from "../../../src/compiler/ir/verify.ts";
import { expandedUnary } from "../../../src/compiler/lower/math/expansions.ts";
import { expandMathIn } from "../../../src/compiler/lower/pass/expand-math.ts";
import { mathFunc } from "../lower/math/ulp.ts";
import { f32, gemmBlock, naiveGemm, splitGemm } from "./nests.ts";

const X = f32("X", [8], "input");
const Y = f32("Y", [8], "output");
const I: Buffer = { name: "I", dtype: "i32", shape: [8], role: "local", memory: "workspace" };
const zero = constInt(0);
const one = constOf("f32", 1);
const func = (body: Stmt): LoopFunc => ({ name: "f", buffers: [X, Y, I], body });
const vector = ramp(zero, 1, 8);

describe("accepts", () => {
  test("scheduled nests", () => {
    for (const nest of [naiveGemm(3, 5, 7), splitGemm(3, 5, 7)]) expect(verify(nest, "scheduled")).toEqual([]);
  });

  test("the expansions of math", () => {
    for (const op of [...expandedUnary, "pow"] as const)
      for (const dtype of ["f32", "f64"] as const)
        expect(verify(expandMathIn(mathFunc(op, dtype, 8)), "flat")).toEqual([]);
  });

  test("vectors and locals", () => {
    const t = define("t", add(loadOf(X, [vector], constInt(3)), broadcast(one, 8)));
    const body = seq(t, assign("t", localOf("t", "f32", 8)), store(Y, [vector], localOf("t", "f32", 8), constInt(3)));
    expect(verify(func(body), "flat")).toEqual([]);
  });
});

test("accepts a hint beyond the end", () => {
  expect(verify(func(prefetch(X, [constInt(-9)], false)), "flat")).toEqual([]);
});

describe("refuses", () => {
  test.each<[string, Stmt, readonly string[]]>([
    ["an unknown variable", store(Y, [variable("i")], one), ["i is no loop or axis around it, in i"]],
    ["an unknown local", store(Y, [zero], localOf("t", "f32")), ["t is not defined, in t"]],
    [
      "a local of another type",
      seq(define("t", one), store(Y, [zero], localOf("t", "f32", 4))),
      ["t is read as f32x4, it is f32, in t", "f32x4 is stored to f32, in Y[0] = t"],
    ],
    [
      "a local after its scope",
      seq(seq(define("t", one)), store(Y, [zero], localOf("t", "f32"))),
      ["t is not defined, in t"],
    ],
    ["a local defined twice", seq(define("t", one), define("t", one)), ["t is defined again, in let t: f32 = 1.0"]],
    [
      "an assignment of lanes",
      seq(define("t", one), assign("t", broadcast(one, 4))),
      ["t is f32, f32x4 is assigned, in t = broadcast(1.0, 4)"],
    ],
    ["mixed types", store(Y, [zero], binary("add", one, constOf("f64", 1))), ["add of f32 and f64, in 1.0 + 1.0f64"]],
    [
      "mixed lanes",
      store(Y, [vector], binary("add", loadOf(X, [vector]), one)),
      ["add of f32x8 and f32, in X[ramp(0, 1, 8)] + 1.0"],
    ],
    [
      "an interleaving of different lanes",
      store(Y, [vector], interleave([broadcast(one, 4), broadcast(one, 2)])),
      ["f32x2 is interleaved with f32x4, in interleave(broadcast(1.0, 4), broadcast(1.0, 2))"],
    ],
    [
      "an interleaving of three, or of scalars",
      store(Y, [zero], interleave([one, one, one])),
      [
        "3 vectors are interleaved, in interleave(1.0, 1.0, 1.0)",
        "f32 is interleaved, in interleave(1.0, 1.0, 1.0)",
        "f32x3 is stored to f32, in Y[0] = interleave(1.0, 1.0, 1.0)",
      ],
    ],
    ["a store of another type", store(I, [zero], one), ["f32 is stored to i32, in I[0] = 1.0"]],
    ["a store of fewer lanes", store(Y, [vector], one), ["f32 is stored to f32x8, in Y[ramp(0, 1, 8)] = 1.0"]],
    ["a store to an input", store(X, [zero], one), ["X is an input, in X[0] = 1.0"]],
    ["an unknown buffer", store({ name: "Z" }, [zero], one), ["there is no buffer Z, in Z[0] = 1.0"]],
    ["a wrong rank", store(Y, [zero, zero], one), ["Y has 1 dimensions, 2 indices are given, in Y[0, 0] = 1.0"]],
    ["a float index", store(Y, [one], one), ["an index is f32, not i32, in Y[1.0] = 1.0"]],
    [
      "a gather",
      store(Y, [vector], loadOf(X, [broadcast(zero, 8)])),
      ["the last index is a vector but no ramp, in X[broadcast(0, 8)]"],
    ],
    ["a condition of numbers", ifThen(zero, store(Y, [zero], one)), ["the condition is i32, in if 0"]],
    [
      "a select of two types",
      store(Y, [zero], select(lt(variable("i"), zero), one, zero)),
      ["i is no loop or axis around it, in i", "the sides are f32 and i32, in select(i < 0, 1.0, 0)"],
    ],
    ["a function of integers", store(I, [zero], unary("exp", zero)), ["exp does not take i32, in exp(0)"]],
    [
      "bits of another size",
      store(Y, [zero], bitcast("f32", constOf("i64", 1))),
      ["i64 has not the bits of f32, in bits.f32(1i64)"],
    ],
    ["a constant out of range", store(I, [zero], constInt(2 ** 31)), ["i32 holds no 2147483648, in 2147483648"]],
    ["a constant that rounds", store(Y, [zero], constOf("f32", 0.1)), ["f32 holds no 0.1, in 0.1"]],
    ["a loop in itself", forLoop("i", 2, forLoop("i", 2, store(Y, [zero], one))), ["loop i is inside a loop i"]],
    ["a hint for nothing", prefetch({ name: "Z" }, [zero], false), ["there is no buffer Z, in prefetch Z[0]"]],
    [
      "a hint of a wrong rank",
      prefetch(X, [zero, variable("i")], false),
      ["i is no loop or axis around it, in i", "X has 1 dimensions, 2 indices are given, in prefetch X[0, i]"],
    ],
    [
      "a hint for lanes",
      prefetch(X, [vector], true),
      ["a hint is for one element, in prefetch X[ramp(0, 1, 8)] to write"],
    ],
    ["a block", gemmBlock([1, 1, 1], [zero, zero, zero]), ["a flat function has block C"]],
  ])("%s", (_, body, problems) => {
    expect(verify(func(body), "flat")).toEqual(problems);
  });

  const nest = naiveGemm(2, 3, 4);
  const block = gemmBlock([2, 3, 4], [zero, zero, zero]);
  test.each<[string, LoopFunc, Form, readonly string[]]>([
    [
      "a store among blocks",
      { ...nest, body: store(Y, [zero], one) },
      "scheduled",
      ["a scheduled function has a store: Y[0] = 1.0"],
    ],
    [
      "a hint among blocks",
      { ...nest, body: prefetch(Y, [zero], false) },
      "scheduled",
      ["a scheduled function has a prefetch: prefetch Y[0]"],
    ],
    ["two blocks of a name", { ...nest, body: seq(block, block) }, "scheduled", ["block C is there twice"]],
    [
      "a binding missing",
      { ...nest, body: { ...block, bindings: [zero, zero] } },
      "scheduled",
      ["block C has 3 axes and 2 bindings"],
    ],
    [
      "a vector in a block",
      { ...nest, body: { ...block, value: broadcast(one, 2) } },
      "scheduled",
      ["f32x2 is stored to f32, in C[i, j] = broadcast(1.0, 2)", "block C has a vector: broadcast(1.0, 2)"],
    ],
    [
      "dimensions in flat form",
      { name: "f", buffers: [f32("Z", [2, 3], "output")], body: seq() },
      "flat",
      ["Z has 2 dimensions, a flat buffer has one"],
    ],
    ["buffers out of order", { name: "f", buffers: [Y, X], body: seq() }, "flat", ["input X comes after output Y"]],
    ["an empty buffer", { name: "f", buffers: [f32("Z", [0], "output")], body: seq() }, "flat", ["Z has the shape 0"]],
  ])("%s", (_, wrong, form, problems) => {
    expect(verify(wrong, form)).toEqual(problems);
  });

  test("as an invariant, with the function", () => {
    expect(() => assertVerified(func(store(I, [zero], one)), "lowered")).toThrow(`invariant violated: f is not lowered:
  f32 is stored to i32, in I[0] = 1.0
f
  input     X: f32[8]
  output    Y: f32[8]
  workspace I: i32[8]

I[0] = 1.0`);
  });
});
