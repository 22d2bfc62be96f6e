// The interpreter's own closures of common operators mean what scalar-ops.ts says, for all pairs of values at the ends of their types.

import { expect, test } from "vitest";
import { commonBinary } from "../../../src/compiler/ir/interpret-binary.ts";
import type { IrBinaryOp } from "../../../src/compiler/ir/loop-ir.ts";
import { binaryOn } from "../../../src/compiler/ir/scalar-ops.ts";

const ops: readonly IrBinaryOp[] = [
  "add",
  "sub",
  "mul",
  "div",
  "floorDiv",
  "mod",
  "min",
  "max",
  "lt",
  "le",
  "gt",
  "ge",
  "eq",
  "ne",
];

const values = {
  i32: [0, 1, -1, 2, 3, -3, 7, -7, 46_341, -65_536, 2 ** 31 - 1, -(2 ** 31)],
  f32: [
    0,
    -0,
    1,
    -1.5,
    Math.fround(0.1),
    2 ** -149,
    -(2 ** -126),
    16_777_217,
    Math.fround(3.4e38),
    Infinity,
    -Infinity,
    NaN,
  ],
} as const;

const common = (["i32", "f32"] as const).flatMap((dtype) =>
  ops
    .filter(
      (op) =>
        commonBinary(
          op,
          dtype,
          () => 0,
          () => 0,
        ) !== null,
    )
    .map((op) => ({ dtype, op })),
);

test("sums and products of both types have such closures", () => {
  for (const dtype of ["i32", "f32"]) {
    expect(common.filter((it) => it.dtype === dtype).map(({ op }) => op)).toEqual(
      expect.arrayContaining(["add", "mul"]),
    );
  }
});

test.each(common)("$op of $dtype", ({ op, dtype }) => {
  const meaning = binaryOn(op, dtype);
  for (const a of values[dtype]) {
    for (const b of values[dtype])
      expect(
        commonBinary(
          op,
          dtype,
          () => a,
          () => b,
        )!(),
        `${a} ${op} ${b}`,
      ).toBe(meaning(a, b));
  }
  expect(
    commonBinary(
      op,
      dtype,
      () => null,
      () => 1,
    )!(),
  ).toBeNull();
  expect(
    commonBinary(
      op,
      dtype,
      () => 1,
      () => null,
    )!(),
  ).toBeNull();
});
