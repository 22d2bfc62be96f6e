// Maps on the vector unit, against the reference interpreter; and what the machine cannot do, in the words of its refusals.

import { describe, expect, test } from "vitest";
import { authoring, type ComputeDef, instantiate, type Trace } from "../../../src/compiler/index.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { referenceOf } from "../../support/reference.ts";
import { printProgram } from "../isa/print-program.ts";
import { vta } from "../machine.ts";
import { mistakeIn, programOf, runProgram } from "../support/run-op.ts";

const { compute, defineOp, max, min, reduceAxis, select, sum, tensor } = authoring;

type I32 = authoring.Expr<"i32">;

/** An operator on two matrices of i32. */
const map = (name: string, of: (a: I32, b: I32) => I32, [rows, columns] = [7, 21]): ComputeDef =>
  instantiate(
    defineOp({}, () => {
      const A = tensor("A", [rows ?? 1, columns ?? 1], "i32");
      const B = tensor("B", [rows ?? 1, columns ?? 1], "i32");
      return compute("C", [rows ?? 1, columns ?? 1], (i, j) => of(A(i, j), B(i, j)));
    }),
    {},
    name,
  );

describe("maps", () => {
  test.each([
    map("sums", (a, b) => a.add(b)),
    map("differences", (a, b) => a.sub(b).sub(3)),
    map("negated", (a, b) => a.neg().add(7).mul(b)),
    map("clipped", (a, b) => min(max(a.mul(b), -100), 100)),
    map("shifted", (a, b) => a.mul(b).add(8).floorDiv(16)),
    map("two_sides", (a, b) => a.add(1).mul(b.sub(a).add(a.mul(a)))),
    map("many_rows", (a, b) => max(a, b), [300, 40]),
    map("one_long_row", (a, b) => a.add(b), [1, 10_001]),
  ])("$name", (op) => {
    expect(mistakeIn(op)).toBeNull();
  });

  test("a row that is added to all rows is brought once", () => {
    const op = instantiate(
      defineOp({}, () => {
        const A = tensor("A", [6, 20], "i32");
        const row = tensor("row", [20], "i32");
        return compute("C", [6, 20], (i, j) => max(A(i, j).add(row(j)), 0));
      }),
      {},
      "biased",
    );
    expect(mistakeIn(op)).toBeNull();
    expect(printProgram(programOf(op))).toMatchInlineSnapshot(`
      "program biased
      buffer A i32[120] input
      buffer row i32[20] input
      buffer C i32[120] output
      load sums[0] <- A[0] 6x20 stride 20 pitch 32 pad 0 0 0 12
      load sums[192] <- row[0] 1x20 stride 0 pitch 32 pad 0 0 0 12
      vector sums[224] = sums[0] add sums[192] for 6: 32 32 0 for 2: 16 16 16
      vector sums[224] = sums[224] max 0 for 12: 16 16 0 signal store
      store C[0] <- sums[224] 6x20 stride 20 pitch 32 wait compute
      "
    `);
  });

  test("bytes are widened on their way in, and low bytes stored", () => {
    const op = instantiate(
      defineOp({}, () => {
        const A = tensor("A", [5, 19], "i8");
        return compute("C", [5, 19], (i, j) => min(A(i, j).cast("i32").mul(3), 127).floorDiv(2).cast("i8"));
      }),
      {},
      "scaled",
    );
    expect(mistakeIn(op)).toBeNull();
  });

  test("what one stage leaves in memory, the next one takes from there", () => {
    const op = instantiate(
      defineOp({}, () => {
        const A = tensor("A", [40], "i32");
        const doubled = compute("doubled", [40], (i) => A(i).mul(2));
        return compute("C", [39], (i) => doubled(i).add(doubled(i.add(1))));
      }),
      {},
      "neighbours",
    );
    expect(mistakeIn(op)).toBeNull();
  });
});

/** All sums begin before any is added to, and rows are added one after the other. */
const before: Trace = [
  { kind: "decompose-reduction", block: "C", loop: "C.i" },
  { kind: "reorder", loops: ["C.k", "C.i"] },
];

describe("sums that are no products", () => {
  const summed = (name: string, of: (A: authoring.Tensor, i: I32, k: authoring.ReduceAxis) => I32): ComputeDef =>
    instantiate(
      defineOp({}, () => {
        const A = tensor("A", [8, 8], "i32");
        const k = reduceAxis("k", 8);
        return compute("C", [8], (i) => sum(of(A, i, k), k));
      }),
      {},
      name,
    );

  test.each([
    ["down the columns", summed("down", (A, i, k) => A(k, i) as I32), []],
    ["down the columns, begun before", summed("begun", (A, i, k) => A(k, i) as I32), before],
    ["along the rows", summed("along", (A, i, k) => A(i, k) as I32), []],
  ])("%s", (_, op, trace) => {
    expect(mistakeIn(op, trace)).toBeNull();
  });
});

describe("refusals", () => {
  const floats = defineOp({}, () => {
    const A = tensor("A", [4], "f32");
    return compute("C", [4], (i) => A(i).mul(2));
  });
  const scattered = defineOp({}, () => {
    const A = tensor("A", [8, 8], "i32");
    return compute("C", [8, 8], (i, j) => A(j, i).add(1));
  });
  const chosen = defineOp({}, () => {
    const A = tensor("A", [8], "i32");
    return compute("C", [8], (i) => select(A(i).gt(0), A(i), 0));
  });
  const divided = defineOp({}, () => {
    const A = tensor("A", [8], "i32");
    return compute("C", [8], (i) => A(i).floorDiv(3));
  });
  test.each([
    ["floats", floats, "A is f32: the machine knows i8 and i32"],
    ["columns as rows", scattered, "elements of A do not lie beside each other as those of the result do"],
    ["choices", chosen, "there is no vector operation for a select"],
    ["other divisors", divided, "divides by powers of two only"],
  ])("%s", (name, op, message) => {
    expect(() => programOf(instantiate(op, {}, name.replaceAll(" ", "_")))).toThrow(message);
  });

  test("more instructions than the program memory holds", () => {
    const op = map("long", (a, b) => a.add(b), [64, 1_000]);
    expect(() => programOf(op, [], { ...vta, instructions: 10 })).toThrow("more than 10 instructions");
  });

  test("no room for one vector", () => {
    const op = map("sums", (a, b) => a.add(b));
    expect(() => programOf(op, [], { ...vta, sums: 32 })).toThrow("no room for one vector of each operand");
    const small = { ...vta, sums: 48 };
    expect(runProgram(programOf(op, [], small), referenceOf(op, createRng(1)), small).mistake).toBeNull();
  });
});
