// Axes are merged where everything walks them together, from end to end, and nowhere else.

import { expect, test } from "vitest";
import { authoring, instantiate, type Op, printComputeDef, targets } from "../../../../src/compiler/index.ts";
import { mergedAxes } from "../../../../src/tuner/space/algorithm/merged-axes.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;
type Index = authoring.Expr<"i32">;
type Read = (y: Index, x: Index, c: Index) => authoring.Expr;

/** An image of 8×10 pixels of three channels, and a map of it. */
const image = (element: (read: Read, y: Index, x: Index, c: Index) => authoring.Expr, channels = 3): Op =>
  defineOp({}, () => {
    const A = tensor("A", [8, 10, channels], "f32");
    return compute("out", [8, 10, 3], (y, x, c) => element(A as unknown as Read, y, x, c));
  });

function merged(op: Op): string {
  const def = instantiate(op, {}, "op");
  return printComputeDef(mergedAxes.rewrite(def).op);
}

const applies = (op: Op): boolean =>
  mergedAxes.applies({ op: instantiate(op, {}, "op"), target: targets.avx2, numerics: "fast", threads: 1 });

test("a map of all elements is one line", () => {
  const op = image((read, y, x, c) => read(y, x, c).mul(2));
  expect(merged(op)).toMatchInlineSnapshot(`
    "op(A: f32[240]) -> out
    out[y_x_c] = A[y_x_c] * 2.0  f32  y_x_c 240
    "
  `);
  expect(applies(op)).toBe(true);
});

test("an operand of the channels alone keeps them apart, and vectors are no fuller", () => {
  const op = image((read, y, x, c) => read(y, x, c).mul(tensor("scale", [3], "f32")(c)));
  expect(merged(op)).toMatchInlineSnapshot(`
    "op(A: f32[80, 3], scale: f32[3]) -> out
    out[y_x, c] = A[y_x, c] * scale[c]  f32  y_x 80, c 3
    "
  `);
  expect(applies(op)).toBe(false);
});

test("so does a part of an operand, an axis that is turned around, and one that is a number itself", () => {
  expect(merged(image((read, y, x, c) => read(y, x, c), 4))).toContain("out[y_x, c] = A[y_x, c]");
  expect(merged(image((read, y, x, c) => read(y, x.mul(-1).add(9), c)))).toContain(
    "out[y, x, c] = A[y, x * -1 + 9, c]",
  );
  expect(merged(image((read, y, x, c) => read(y, x, c).add(c.cast("f32"))))).toContain(
    "out[y_x, c] = A[y_x, c] + f32(c)",
  );
});

test("a window along the axis before is as many whole runs of the last one away", () => {
  const blur = defineOp({}, () => {
    const A = tensor("A", [8, 12, 3], "f32");
    const row = compute("row", [8, 10, 3], (y, x, c) => A(y, x, c).add(A(y, x.add(2), c)));
    return compute("out", [7, 10, 3], (y, x, c) => row(y, x, c).add(row(y.add(1), x, c)));
  });
  expect(merged(blur)).toMatchInlineSnapshot(`
    "op(A: f32[8, 36]) -> out
    row[y, x_c] = A[y, x_c] + A[y, x_c + 2 + 4]  f32  y 8, x_c 30
    out[y, x_c] = row[y, x_c] + row[y + 1, x_c]  f32  y 7, x_c 30
    "
  `);
  expect(applies(blur)).toBe(true);
});

test("a window along the last axis keeps it apart", () => {
  const op = image((read, y, x, c) => read(y, x, c).add(read(y, x, c.add(1))), 4);
  expect(merged(op)).toContain("y_x 80, c 3");
});

test("axes are merged through stages, those of a sum too", () => {
  const op = defineOp({}, () => {
    const A = tensor("A", [4, 10, 3], "f32");
    const [x, c] = [reduceAxis("x", 10), reduceAxis("c", 3)];
    const mean = compute("mean", [4], (n) => sum(A(n, x, c), [x, c]));
    return compute("out", [4, 10, 3], (n, i, k) => A(n, i, k).sub(mean(n)));
  });
  expect(merged(op)).toMatchInlineSnapshot(`
    "op(A: f32[4, 30]) -> out
    mean[n] = sum(A[n, x_c], x_c)  f32  n 4, x_c 30
    out[n, i_k] = A[n, i_k] - mean[n]  f32  n 4, i_k 30
    "
  `);
  expect(applies(op)).toBe(true);
});

test("sums in another order than elements lie are left as they are", () => {
  const op = defineOp({}, () => {
    const A = tensor("A", [4, 10, 3], "f32");
    const [x, c] = [reduceAxis("x", 10), reduceAxis("c", 3)];
    return compute("out", [4], (n) => sum(A(n, x, c), [c, x]));
  });
  expect(merged(op)).toContain("op(A: f32[4, 10, 3])");
});
