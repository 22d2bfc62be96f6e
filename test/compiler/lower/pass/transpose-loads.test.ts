// Columns that are loaded lane by lane become rows, transposed in registers: the numbers stay, whatever the length of vectors, their elements and
// the places that columns have, and where something is stored in between, nothing changes.

import { describe, expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import {
  authoring,
  type DType,
  fromCompute,
  instantiate,
  type LoopFunc,
  type Op,
  replay,
  type Stmt,
  type Target,
  type Trace,
  targets,
} from "../../../../src/compiler/index.ts";
import { constInt, lanesFrom, loadOf, store } from "../../../../src/compiler/ir/build.ts";
import type { Buffer } from "../../../../src/compiler/ir/loop-ir.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import { transposingStages } from "../../../../src/compiler/lower/pass/transpose-loads/stages.ts";
import { transposeLoads } from "../../../../src/compiler/lower/pass/transpose-loads.ts";
import { rngOf } from "../../../support/long.ts";
import { referenceOf, wrongNest } from "../../../support/reference.ts";

const { compute, defineOp, tensor } = authoring;

describe("stages", () => {
  const cases = [4, 8, 16, 32].flatMap((count) => [1, 2, 4, 8].map((bytes) => [count, bytes] as const));
  test.each(cases)("%i vectors of elements of %i bytes", (count, bytes) => {
    const rows = Array.from({ length: count }, (_, row) =>
      Array.from({ length: count }, (_, column) => `${row} ${column}`),
    );
    const stages = transposingStages(count, bytes);
    const columns = stages.reduce<readonly (readonly string[])[]>(
      (vectors, stage) =>
        vectors.map((_, at) => {
          const { parts, picks } = stage(at);
          return picks.map((pick) => parts.flatMap((part) => vectors[part]!)[pick]!);
        }),
      rows,
    );
    expect(stages).toHaveLength(Math.log2(count));
    expect(columns).toEqual(rows.map((_, column) => rows.map((row) => row[column])));
  });
});

/** Counts vectors that are put together lane by lane. */
function gathered({ body }: LoopFunc): number {
  let count = 0;
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind === "lanes") count++;
    },
  );
  return count;
}

/** Four rows by four columns at a time. */
const inSquares: Trace = [
  { kind: "split", loop: "T.i", factors: [0, 4], tail: "cut" },
  { kind: "split", loop: "T.j", factors: [0, 4], tail: "cut" },
  { kind: "reorder", loops: ["T.i.0", "T.j.0", "T.i.1", "T.j.1"] },
  { kind: "unroll", loop: "T.i.1" },
  { kind: "vectorize", loop: "T.j.1" },
];

function lowered(op: Op, target: Target = targets.wasm): LoopFunc {
  const def = instantiate(op, {}, "op");
  const result = replay(fromCompute(def), inSquares);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  const flat = lower(result.nest, { target, numerics: "fast" });
  expect(wrongNest(referenceOf(def, rngOf("transposed loads")), flat)).toBeNull();
  return flat;
}

const turned = (dtype: DType, [rows, columns]: readonly [number, number]): Op =>
  defineOp({}, () => {
    const A = tensor("A", [columns, rows], dtype);
    return compute("T", [rows, columns], (i, j) => A(j, i));
  });

test.each<DType>(["f32", "i32", "f16", "bf16", "i16", "i8", "u8", "f64"])("a transpose of %s", (dtype) => {
  expect(gathered(lowered(turned(dtype, [8, 12]), targets.avx2))).toBe(0);
});

test("rows and columns that fill no square are right, too", () => {
  expect(gathered(lowered(turned("f32", [7, 9])))).toBeGreaterThan(0);
});

test("columns next to those of the square", () => {
  const op = defineOp({}, () => {
    const A = tensor("A", [8, 10], "f32");
    return compute("T", [8, 8], (i, j) => A(j, i).add(A(j, i.add(2))));
  });
  expect(gathered(lowered(op))).toBe(0);
});

test.each([2, 3])("columns %i elements apart", (stride) => {
  const op = defineOp({}, () => {
    const A = tensor("A", [8, 8, stride], "i32");
    return compute("T", [8, 8], (i, j) => A(j, i, stride - 1));
  });
  expect(gathered(lowered(op))).toBe(0);
});

test("columns far apart stay as they are", () => {
  const op = defineOp({}, () => {
    const A = tensor("A", [8, 8, 5], "i32");
    return compute("T", [8, 8], (i, j) => A(j, i, 0));
  });
  expect(gathered(lowered(op))).toBeGreaterThan(0);
});

test("a buffer that is stored to in between is loaded as before", () => {
  const flat = lowered(turned("f32", [4, 4]));
  const [A, T] = ["A", "T"].map((name) => flat.buffers.find((buffer) => buffer.name === name)!) as [Buffer, Buffer];
  const columnsTo = (buffer: Buffer): LoopFunc => {
    const column = (at: number): Stmt =>
      store(buffer, [constInt(at)], lanesFrom([0, 1, 2, 3].map((lane) => loadOf(A, [constInt(4 * lane + at)]))));
    return { ...flat, body: { kind: "seq", body: [0, 1, 2, 3].map(column) } };
  };
  const context = { target: targets.wasm, numerics: "fast" } as const;
  expect(gathered(transposeLoads.run(columnsTo(T), context))).toBe(0);
  expect(gathered(transposeLoads.run(columnsTo(A), context))).toBe(4);
});
