// What no schedule makes a kernel of WebGPU: said before one is looked for, so that the twin answers.

import { expect, test } from "vitest";
import { authoring, instantiate, type Op, opLibrary, wgslGenerator } from "../../../../src/compiler/index.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;
const { attention, conv2d, gemm, gemmExpGemm, map } = opLibrary;

const reasonOf = (op: Op): string | null => wgslGenerator.cannotCompute!(instantiate(op, {}, "op"), "fast");

/** A sum of so many arrays. */
const sumOf = (count: number): Op =>
  defineOp({ N: 8 }, ({ N }) => {
    const arrays = Array.from({ length: count }, (_, at) => tensor(`x${at}`, [N], "f32"));
    return compute("y", [N], (i) => arrays.map((x) => x(i)).reduce((a, b) => a.add(b)));
  });

/** A large product of which two stages read each element. */
const readTwice = defineOp({ N: 8192 }, ({ N }) => {
  const [x, k] = [tensor("x", [N], "f32"), reduceAxis("k", 4)];
  const S = compute("S", [N, N], (i, j) => sum(x(i).mul(x(j)), k));
  const a = compute("a", [N, N], (i, j) => S(i, j).add(1));
  const b = compute("b", [N, N], (i, j) => S(i, j).mul(2));
  const l = reduceAxis("l", N);
  return compute("y", [N], (i) => sum(a(i, l).mul(b(i, l)), l));
});

test.each<readonly [string, Op, string | null]>([
  ["seven arrays and a result", sumOf(7), null],
  [
    "eight arrays and a result",
    sumOf(8),
    "y is made of 8 arrays, and a launch of WebGPU names 8, its results among them",
  ],
  ["f64", map({ N: 4, dtype: "f64" }, (x) => x.mul(2)), "x0 is f64, and WebGPU has no such numbers"],
  [
    "f64 on the way",
    map({ N: 4 }, (x) => x.cast("f64").mul(2).cast("f32")),
    "y is computed in f64, and WebGPU has no such numbers",
  ],
  ["an input of 128 MiB", map({ N: 2 ** 25 }, (x) => x.mul(2)), null],
  [
    "an input of more",
    map({ N: 2 ** 25 + 4 }, (x) => x.mul(2)),
    "x0 has 134217744 bytes, and an array of WebGPU has at most 134217728",
  ],
  ["as many elements of 16 bits", map({ N: 2 ** 25 + 4, dtype: "f16" }, (x) => x.mul(2)), null],
  ["a result of more", gemm({ M: 8192, N: 8192, K: 4 }), expect.stringMatching(/^C has 268435456 bytes/)],
  ["sums that a map finishes on the way", conv2d({ H: 1026, W: 1026, C: 4, F: 48, dtype: "f16" }), null],
  [
    "scores that have to be stored",
    attention({ heads: 16, M: 2048, N: 2048, D: 64 }),
    expect.stringMatching(/^scores/),
  ],
  ["an operand that another product reads", gemmExpGemm({ M: 8192, N: 8192, K: 4, L: 4 }), expect.any(String)],
  ["sums that are read twice", readTwice, expect.stringMatching(/^S has 268435456 bytes/)],
])("%s", (_, op, why) => {
  expect(reasonOf(op)).toEqual(why);
});
