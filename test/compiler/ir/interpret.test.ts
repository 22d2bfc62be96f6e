// The interpreter on hand-built functions of every form, and what it refuses.

import { describe, expect, test } from "vitest";
import {
  add,
  and,
  binary,
  bitcast,
  block,
  broadcast,
  cast,
  constInt,
  constOf,
  define,
  forLoop,
  ge,
  ifThen,
  interleave,
  lanesFrom,
  loadOf,
  localOf,
  lt,
  mul,
  ramp,
  select,
  seq,
  store,
  sub,
  variable,
} from "../../../src/compiler/ir/build.ts";
import { interpret } from "../../../src/compiler/ir/interpret.ts";
import type { Buffer, Expr, LoopFunc, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { f32, naiveGemm, splitGemm } from "./nests.ts";

const counting = (length: number, step: number): Float32Array =>
  Float32Array.from({ length }, (_, index) => ((index * step) % 13) - 6);

function gemm(m: number, n: number, k: number): { A: Float32Array; B: Float32Array; C: Float32Array } {
  const [A, B, C] = [counting(m * k, 5), counting(k * n, 7), new Float32Array(m * n)];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) for (let l = 0; l < k; l++) C[i * n + j]! += A[i * k + l]! * B[l * n + j]!;
  return { A, B, C };
}

const func = (buffers: readonly Buffer[], body: Stmt): LoopFunc => ({ name: "f", buffers, body });
const X = f32("X", [8], "input");
const Y = f32("Y", [8], "output");
const T = f32("T", [8], "workspace");
const x8 = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const i = variable("i");

describe("scheduled", () => {
  test("gemm", () => {
    const { A, B, C } = gemm(3, 5, 7);
    expect(interpret(naiveGemm(3, 5, 7), { A, B })).toEqual({ C });
  });

  test("gemm whose split overshoots, k outside of j", () => {
    const { A, B, C } = gemm(3, 5, 7);
    expect(interpret(splitGemm(3, 5, 7), { A, B })).toEqual({ C });
  });

  test("a padded convolution reads only where its guard allows", () => {
    const [o, r] = [variable("o"), variable("r")];
    const W = f32("W", [3], "input");
    const at = sub(add(o, r), constInt(1));
    const inside = and(ge(at, constInt(0)), lt(at, constInt(8)));
    const body = block({
      name: "Y",
      axes: [
        { name: "o", extent: 8, role: "spatial" },
        { name: "r", extent: 3, role: "reduce" },
      ],
      bindings: [variable("Y.o"), variable("Y.r")],
      buffer: "Y",
      indices: [o],
      init: constOf("f32", 0),
      value: add(loadOf(Y, [o]), mul(select(inside, loadOf(X, [at]), constOf("f32", 0)), loadOf(W, [r]))),
    });
    const nest = func([X, W, Y], forLoop("Y.o", 8, forLoop("Y.r", 3, body)));
    const W3 = Float32Array.of(1, 10, 100);
    expect(interpret(nest, { X: x8, W: W3 }).Y).toEqual(Float32Array.of(210, 321, 432, 543, 654, 765, 876, 87));
  });
});

describe("lowered", () => {
  const j = ramp(mul(i, constInt(4)), 1, 4);

  test("vectors, locals, active lanes", () => {
    const active = sub(constInt(6), mul(i, constInt(4)));
    const twice = define("twice", add(loadOf(X, [j], active), loadOf(X, [j], active)));
    const body = seq(twice, store(Y, [j], localOf("twice", "f32", 4)));
    expect(interpret(func([X, Y], forLoop("i", 2, body)), { X: x8 }).Y).toEqual(
      Float32Array.of(2, 4, 6, 8, 10, 12, 0, 0),
    );
  });

  test("lanes of an unwritten workspace may be computed, if they are not stored", () => {
    const fill = forLoop("i", 6, store(T, [i], loadOf(X, [i])));
    const out = forLoop("i", 2, store(Y, [j], loadOf(T, [j]), sub(constInt(6), mul(i, constInt(4)))));
    const rest = forLoop("i", 2, store(Y, [add(i, constInt(6))], constOf("f32", -1)));
    expect(interpret(func([X, Y, T], seq(fill, out, rest)), { X: x8 }).Y).toEqual(
      Float32Array.of(1, 2, 3, 4, 5, 6, -1, -1),
    );
  });

  test("lanes, vector select, bits and i64", () => {
    const D: Buffer = { name: "D", dtype: "f64", shape: [2], role: "output", memory: "caller" };
    const bits = bitcast("i64", lanesFrom([constOf("f64", 1), constOf("f64", -2)]));
    const next = bitcast("f64", binary("add", bits, broadcast(constOf("i64", 1), 2)));
    const isFirst = lt(ramp(constInt(0), 1, 2), broadcast(constInt(1), 2));
    const value = select(isFirst, next, broadcast(cast("f64", constInt(7)), 2));
    expect(interpret(func([D], store(D, [ramp(constInt(0), 1, 2)], value)), {}).D).toEqual(
      Float64Array.of(1 + 2 ** -52, 7),
    );
  });

  test("interleaved vectors take turns", () => {
    const rows = [0, 2, 4, 6].map((start) => loadOf(X, [ramp(constInt(start), 1, 2)]));
    const stored = store(Y, [ramp(constInt(0), 1, 8)], interleave(rows));
    expect(interpret(func([X, Y], stored), { X: x8 }).Y).toEqual(Float32Array.of(1, 3, 5, 7, 2, 4, 6, 8));
  });

  test("16-bit floats are rounded when stored", () => {
    const H: Buffer = { name: "H", dtype: "bf16", shape: [1], role: "output", memory: "caller" };
    const value = cast("bf16", constOf("f32", 1 + 2 ** -7 + 2 ** -9));
    expect(interpret(func([H], store(H, [constInt(0)], value)), {}).H).toEqual(Uint16Array.of(0x3f81));
  });
});

describe("refuses", () => {
  const fillY = forLoop("i", 8, store(Y, [i], constOf("f32", 0)));
  const run = (body: Stmt): unknown => interpret(func([X, Y, T], body), { X: x8 });
  const one: Expr = constOf("f32", 1);

  test.each<[string, Stmt, string]>([
    [
      "a read outside",
      forLoop("i", 8, store(Y, [i], loadOf(X, [add(i, constInt(1))]))),
      "X is accessed at [8], its shape is 8",
    ],
    ["a write outside", forLoop("i", 9, store(Y, [i], one)), "Y is accessed at [8], its shape is 8"],
    [
      "a vector outside",
      seq(fillY, store(Y, [ramp(constInt(5), 1, 4)], broadcast(one, 4))),
      "Y is accessed at [8], its shape is 8",
    ],
    ["an element forgotten", forLoop("i", 7, store(Y, [i], one)), "Y: element 7 was never written"],
    [
      "an output of nothing",
      forLoop("i", 8, store(Y, [i], add(one, loadOf(T, [i])))),
      "Y: element 0 is given a value made of an element that was never written",
    ],
    [
      "a decision on nothing",
      ifThen(lt(loadOf(T, [constInt(0)]), one), fillY),
      "a condition was made of an element that was never written",
    ],
    ["an unknown local", store(Y, [constInt(0)], localOf("t", "f32")), "t is read where it is not defined"],
    [
      "a local out of scope",
      seq(seq(define("t", one)), store(Y, [constInt(0)], localOf("t", "f32"))),
      "t is read where it is not defined",
    ],
    ["a store to an input", store(X, [constInt(0)], one), "X is an input and is stored to"],
    ["a wrong rank", store(Y, [i, i], one), "Y is accessed with 2 indices, it has 1 dimensions"],
  ])("%s", (_, body, message) => {
    expect(() => run(body)).toThrow(`invariant violated: ${message}`);
  });
});
