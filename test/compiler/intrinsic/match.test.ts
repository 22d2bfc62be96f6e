// Unification: which loop is which, where the operands lie, and why a nest is not what an intrinsic computes.

import { describe, expect, test } from "vitest";
import type { DType } from "../../../src/compiler/index.ts";
import { findIntrinsic } from "../../../src/compiler/intrinsic/intrinsics.ts";
import { type MatchableNest, match } from "../../../src/compiler/intrinsic/match.ts";
import { fromAffine } from "../../../src/compiler/ir/affine.ts";
import { add, cast, constInt, forLoop, loadOf, mul, seq, variable } from "../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, For } from "../../../src/compiler/ir/loop-ir.ts";
import { printExpr } from "../../../src/compiler/ir/print-expr.ts";
import { noRanges } from "../../../src/compiler/ir/ranges.ts";

const [v, p, k] = [variable("v"), variable("p"), variable("k")];
const buffer = (name: string, dtype: DType): Buffer => ({
  name,
  dtype,
  shape: [1024],
  role: "local",
  memory: "workspace",
});
const acc = buffer("acc", "i32");
const loop = (name: string, extent: number): For => forLoop(name, extent, seq()) as For;
const times = (expr: Expr, by: number): Expr => mul(expr, constInt(by));

interface Factor {
  readonly dtype: DType;
  readonly index: Expr;
}

/** The nest acc[result] += i32(X[…]) · i32(Y[…]); default: loops v of 8 and p of 2 around it. */
function candidate(
  x: Factor,
  y: Factor,
  result: Expr = v,
  loops: readonly For[] = [loop("v", 8), loop("p", 2)],
): MatchableNest {
  const [X, Y] = [buffer("X", x.dtype), buffer("Y", y.dtype)];
  const product = mul(cast("i32", loadOf(X, [x.index])), cast("i32", loadOf(Y, [y.index])));
  return {
    loops,
    buffer: "acc",
    indices: [result],
    value: add(loadOf(acc, [result]), product),
    buffers: new Map([acc, X, Y].map((each) => [each.name, each])),
    ranges: noRanges,
  };
}

/** Roles, then for each operand what it reads: how many neighbours from where, with all loops. */
function found(of: MatchableNest, name = "vpmaddwd.256"): readonly string[] {
  const result = match(of, findIntrinsic(name)!);
  if (result.kind === "mismatch") return [`${result.what}: ${result.why}`];
  const roles = [...result.roles].map(([role, loop]) => `${role} = ${loop}`).sort();
  const places = result.places.map(
    ({ operand, load, index, period }) =>
      `${operand.name}: ${period} of ${load.buffer}[${printExpr(fromAffine(index))}]`,
  );
  return [...roles, ...places];
}

const pairs: Factor = { dtype: "i16", index: add(times(v, 2), p) };
const shared: Factor = { dtype: "i16", index: add(times(k, 2), p) };

describe("matches", () => {
  test("one operand in pairs, the other a pair for all lanes", () => {
    expect(found(candidate(shared, pairs))).toEqual([
      "lane = v",
      "step = p",
      "C: 8 of acc[v]",
      "A: 2 of X[k * 2 + p]",
      "B: 16 of Y[v * 2 + p]",
    ]);
  });

  test("sides swapped, loops the other way round", () => {
    expect(found(candidate(pairs, shared, v, [loop("p", 2), loop("v", 8)]))).toEqual([
      "lane = v",
      "step = p",
      "C: 8 of acc[v]",
      "A: 16 of X[v * 2 + p]",
      "B: 2 of Y[k * 2 + p]",
    ]);
  });

  test("narrower elements, which the operand's type holds", () => {
    expect(found(candidate({ ...shared, dtype: "u8" }, { ...pairs, dtype: "i8" }))).toHaveLength(5);
  });

  test("the types decide which factor is which operand", () => {
    const fours = (dtype: DType): Factor => ({ dtype, index: add(times(v, 4), p) });
    const of = candidate(fours("i8"), fours("u8"), v, [loop("v", 8), loop("p", 4)]);
    expect(found(of, "vpdpbusd.256").slice(2)).toEqual([
      "C: 8 of acc[v]",
      "A: 32 of Y[v * 4 + p]",
      "B: 32 of X[v * 4 + p]",
    ]);
  });
});

describe("does not match", () => {
  test("elements that the operand's type does not hold", () => {
    expect(found(candidate({ ...shared, dtype: "i32" }, pairs))).toEqual([
      "value: vpmaddwd.256 computes something else",
    ]);
  });

  test("another extent", () => {
    const loops = [loop("v", 4), loop("p", 2)];
    expect(found(candidate(shared, pairs, v, loops))).toEqual([
      "loops: vpmaddwd.256 wants loops of 8 and 2 iterations and no others",
    ]);
  });

  test("pairs that are rows apart", () => {
    expect(found(candidate(shared, { dtype: "i16", index: add(v, times(p, 83)) }))).toEqual([
      "layout: Y moves by 1 elements along v, vpmaddwd.256 wants its operand B to move by 2",
    ]);
  });

  test("one value for both of a pair, with another for each lane", () => {
    expect(found(candidate(shared, { dtype: "i16", index: times(v, 2) }))).toEqual([
      "layout: Y moves by 0 elements along p, vpmaddwd.256 wants its operand B to move by 1",
    ]);
  });

  test("sums that leave gaps", () => {
    expect(found(candidate(shared, pairs, times(v, 3)))).toEqual([
      "layout: acc moves by 3 elements along v, vpmaddwd.256 wants its operand C to move by 1",
    ]);
  });
});
