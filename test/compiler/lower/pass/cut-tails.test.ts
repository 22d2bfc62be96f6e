// Loops are cut where a choice changes sides: padding is read at the borders alone. And where lanes come to an edge: an index is clamped, or
// wrapped around, there alone.

import { describe, expect, test } from "vitest";
import {
  authoring,
  fromCompute,
  instantiate,
  interpret,
  type Op,
  printStmt,
  schedule,
  type Trace,
} from "../../../../src/compiler/index.ts";
import { cutTails } from "../../../../src/compiler/lower/pass/cut-tails.ts";
import { lowerBlocks } from "../../../../src/compiler/lower/pass/lower-blocks.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";

const { compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

/** Windows of three on a line, with a zero at each end. */
const windows: Op = defineOp({ N: 22 }, ({ N }) => {
  const x = tensor("x", [N], "f32");
  const w = tensor("w", [3], "f32");
  const k = reduceAxis("k", 3);
  return compute("y", [N], (i) => {
    const at = i.add(k).sub(1);
    return sum(select(at.ge(0).and(at.lt(N)), x(at), 0).mul(w(k)), k);
  });
});

function cut(trace: Trace, op: Op = windows) {
  const nest = schedule(fromCompute(instantiate(op, {}, "windows")), trace);
  const context = { target: targets.wasm, numerics: "strict" } as const;
  const func = [lowerBlocks, cutTails].reduce((it, pass) => pass.run(it, context), nest);
  const all = { x: Float32Array.from({ length: 22 }, (_, at) => at + 1), w: Float32Array.of(1, 10, 100) };
  const inputs = op === windows ? all : { x: all.x };
  expect(interpret(func, inputs)).toEqual(interpret(nest, inputs));
  return printStmt(func.body);
}

describe("a choice that depends on the loop", () => {
  test("is made in the first and the last iteration, and in none between", () => {
    expect(cut([{ kind: "split", loop: "y.i", factors: [0, 4], tail: "cut" }])).toMatchInlineSnapshot(`
      "for y.k in 0..3
        if y.k == 0
          y[0] = 0.0
        y[0] = y[0] + select(y.k >= 1, x[y.k - 1], 0.0) * w[y.k]
      for y.i.1 in 0..3 cut
        for y.k in 0..3
          if y.k == 0
            y[y.i.1 + 1] = 0.0
          y[y.i.1 + 1] = y[y.i.1 + 1] + x[y.i.1 + y.k] * w[y.k]
      for y.i.0 in 0..4 cut
        for y.i.1 in 0..4 cut
          for y.k in 0..3
            if y.k == 0
              y[y.i.0 * 4 + y.i.1 + 4] = 0.0
            y[y.i.0 * 4 + y.i.1 + 4] = y[y.i.0 * 4 + y.i.1 + 4] + x[y.i.0 * 4 + y.i.1 + y.k + 3] * w[y.k]
      for y.k in 0..3
        if y.k == 0
          y[20] = 0.0
        y[20] = y[20] + x[y.k + 19] * w[y.k]
      for y.k in 0..3
        if y.k == 0
          y[21] = 0.0
        y[21] = y[21] + select(y.k < 2, x[y.k + 20], 0.0) * w[y.k]"
    `);
  });

  test("stays in a loop that is not to be cut", () => {
    expect(cut([{ kind: "split", loop: "y.i", factors: [0, 4], tail: "guard" }])).toMatchInlineSnapshot(`
      "for y.i.0 in 0..6
        for y.i.1 in 0..4
          for y.k in 0..3
            if y.i.0 * 4 + y.i.1 < 22
              if y.k == 0
                y[y.i.0 * 4 + y.i.1] = 0.0
              y[y.i.0 * 4 + y.i.1] = y[y.i.0 * 4 + y.i.1] + select(y.i.0 * 4 + y.i.1 + y.k >= 1 && y.i.0 * 4 + y.i.1 + y.k < 23, x[y.i.0 * 4 + y.i.1 + y.k - 1], 0.0) * w[y.k]"
    `);
  });
});

/** Differences of neighbours on a line, the last one with itself. */
const clamped: Op = defineOp({ N: 22 }, ({ N }) => {
  const x = tensor("x", [N], "f32");
  return compute("y", [N], (i) => x(i.add(1).min(N - 1)).sub(x(i)));
});

/** The same on a ring, with the one before. */
const wrapped: Op = defineOp({ N: 22 }, ({ N }) => {
  const x = tensor("x", [N], "f32");
  return compute("y", [N], (i) => x(i).sub(x(i.add(N - 1).mod(N))));
});

describe("an index at an edge", () => {
  const inLanes: Trace = [
    { kind: "split", loop: "y.i", factors: [0, 4], tail: "cut" },
    { kind: "vectorize", loop: "y.i.1" },
  ];

  test("that is clamped is so in the last iteration alone", () => {
    expect(cut(inLanes, clamped)).toMatchInlineSnapshot(`
      "for y.i.0 in 0..5 cut
        for y.i.1 in 0..4 vectorized cut
          y[y.i.0 * 4 + y.i.1] = x[y.i.0 * 4 + y.i.1 + 1] - x[y.i.0 * 4 + y.i.1]
      for y.i.1 in 0..4 vectorized cut
        if y.i.1 < 2
          y[y.i.1 + 20] = x[21] - x[y.i.1 + 20]"
    `);
  });

  test("that is wrapped around is one turn further in all iterations but the first", () => {
    expect(cut(inLanes, wrapped)).toMatchInlineSnapshot(`
      "for y.i.1 in 0..4 vectorized cut
        y[y.i.1] = x[y.i.1] - x[(y.i.1 + 21) % 22]
      for y.i.0 in 0..4 cut
        for y.i.1 in 0..4 vectorized cut
          y[y.i.0 * 4 + y.i.1 + 4] = x[y.i.0 * 4 + y.i.1 + 4] - x[y.i.0 * 4 + y.i.1 + 3]
      for y.i.1 in 0..4 vectorized cut
        if y.i.1 < 2
          y[y.i.1 + 20] = x[y.i.1 + 20] - x[y.i.1 + 19]"
    `);
  });

  test("stays where no lanes move it", () => {
    expect(cut([{ kind: "split", loop: "y.i", factors: [0, 2], tail: "cut" }], clamped)).toMatchInlineSnapshot(`
      "for y.i.0 in 0..11 cut
        for y.i.1 in 0..2 cut
          y[y.i.0 * 2 + y.i.1] = x[min(y.i.0 * 2 + y.i.1 + 1, 21)] - x[y.i.0 * 2 + y.i.1]"
    `);
  });
});
