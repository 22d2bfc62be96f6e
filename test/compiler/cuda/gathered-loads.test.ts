// Neighbours in memory are loaded together: which loads are, and which must not be. That kernels compute the same is held by the schedules
// whose text runs as C on the CPU (test/gpu/sweep/cuda-on-cpu.test.ts).

import { describe, expect, test } from "vitest";
import { codeGeneratorNamed } from "../../../src/compiler/backend/code-generators.ts";
import type { CudaSource } from "../../../src/compiler/codegen/cuda/plan/cuda-source.ts";
import type { DType, Expr, Stmt } from "../../../src/compiler/index.ts";
import { instantiate, type Op, opLibrary } from "../../../src/compiler/index.ts";
import { localBuffer, parameterBuffer } from "../../../src/compiler/ir/buffer.ts";
import {
  add,
  assign,
  broadcast,
  constInt,
  constOf,
  define,
  forLoop,
  ifThen,
  loadOf,
  localFrom,
  lt,
  mul,
  ramp,
  select,
  seq,
  store,
  variable,
} from "../../../src/compiler/ir/build.ts";
import { cudaSm80 } from "../../../src/compiler/target/cuda.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { noCudaTools, openNvrtc, readMachineCode } from "./tools.ts";

const thread = variable("threadIdx.x");
const at = (stride: number, offset: number): Expr => add(mul(thread, constInt(stride)), constInt(offset));

/** Statements of each of 32 threads, printed; loads of several elements are lines with "run". */
function printed(make: (x: ReturnType<typeof buffersOf>) => readonly Stmt[], dtype: DType = "f32"): readonly string[] {
  const buffers = buffersOf(dtype);
  const { X, Y, W } = buffers;
  const body = forLoop("threadIdx.x", 32, seq(...make(buffers)), "threadIdx.x");
  const func = { name: "f", buffers: [X, Y, W], body };
  const source = codeGeneratorNamed("cuda").generate(func, { target: cudaSm80, numerics: "fast" }) as CudaSource;
  return source.text.split("\n").map((line) => line.trim());
}

const buffersOf = (dtype: DType) => ({
  X: parameterBuffer({ name: "X", dtype, shape: [1024] }, "input"),
  Y: parameterBuffer({ name: "Y", dtype, shape: [1024] }, "output"),
  W: localBuffer({ name: "W", dtype, shape: [1024] }),
});

const moves = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.includes("run"));

/** A store of the sum of such elements of X. */
const sumOf = (buffer: { readonly name: string; readonly dtype: DType }, indices: readonly Expr[]): Expr =>
  indices.map((index): Expr => loadOf(buffer, [index])).reduce(add);

describe("are loaded together", () => {
  test("four floats that begin at a multiple of four, in whatever order", () => {
    const lines = printed(({ X, Y }) => [store(Y, [thread], sumOf(X, [at(4, 2), at(4, 0), at(4, 3), at(4, 1)]))]);
    expect(moves(lines)).toEqual([
      "alignas(16) float uk_run0[4];",
      "*(uint4 *)uk_run0 = *(const uint4 *)&X_[(threadIdx_x_ * 4)];",
      "Y_[threadIdx_x_] = (((uk_run0[2] + uk_run0[0]) + uk_run0[3]) + uk_run0[1]);",
    ]);
  });

  test("of several statements, before the first of them", () => {
    const lines = printed(({ X, Y }) => [
      store(Y, [at(4, 0)], constOf("f32", 1)),
      store(Y, [at(4, 1)], loadOf(X, [at(4, 8)])),
      store(Y, [at(4, 2)], loadOf(X, [at(4, 9)])),
      store(Y, [at(4, 3)], loadOf(X, [at(4, 10)])),
      store(Y, [at(4, 4)], loadOf(X, [at(4, 11)])),
    ]);
    const first = lines.findIndex((line) => line.includes("uint4"));
    expect(lines[first]).toContain("&X_[((threadIdx_x_ * 4) + 8)]");
    expect(lines[first - 2]).toContain("Y_[(threadIdx_x_ * 4)] = ");
    expect(lines[first + 1]).toBe("Y_[((threadIdx_x_ * 4) + 1)] = uk_run0[0];");
  });

  test("two, where no four begin at a multiple of four", () => {
    const lines = printed(({ X, Y }) => [store(Y, [thread], sumOf(X, [at(4, 2), at(4, 3), at(4, 4), at(4, 5)]))]);
    expect(moves(lines).filter((line) => line.includes("uint2"))).toHaveLength(2);
  });

  test("eight halves, and sixteen bytes", () => {
    for (const [dtype, count] of [
      ["f16", 8],
      ["i8", 16],
    ] as const) {
      const indices = Array.from({ length: count }, (_, each) => at(16, each));
      const lines = printed(({ X, Y }) => indices.map((index) => store(Y, [index], loadOf(X, [index]))), dtype);
      expect(moves(lines).filter((line) => line.includes("uint4"))).toHaveLength(1);
    }
  });
});

describe("are not", () => {
  const four = [0, 1, 2, 3].map((offset) => at(4, offset));

  test("where they begin anywhere", () => {
    expect(
      moves(
        printed(({ X, Y }) => [
          store(
            Y,
            [thread],
            sumOf(
              X,
              [0, 1, 2, 3].map((it) => at(3, it)),
            ),
          ),
        ]),
      ),
    ).toEqual([]);
  });

  test("where a choice may leave one out", () => {
    const lines = printed(({ X, Y }) => [
      store(Y, [thread], sumOf(X, four.slice(0, 3))),
      store(Y, [at(1, 32)], select(lt(thread, constInt(5)), loadOf(X, [four[3]!]), constOf("f32", 0))),
    ]);
    expect(moves(lines).some((line) => line.includes("uint4"))).toBe(false);
  });

  test("where the index is of what statements compute", () => {
    const place = define("place", at(4, 0));
    const lines = printed(({ X, Y }) => [
      place,
      store(Y, [at(2, 0)], loadOf(X, [mul(localFrom(place), constInt(4))])),
      assign("place", constInt(3)),
      store(Y, [at(2, 1)], loadOf(X, [add(mul(localFrom(place), constInt(4)), constInt(1))])),
    ]);
    expect(moves(lines)).toEqual([]);
  });

  test("for what stands below a condition that loads them", () => {
    const both = [at(2, 0), at(2, 1)];
    const lines = printed(({ W, Y }) => {
      const sum = sumOf(W, both);
      const inside = seq(store(W, [at(2, 0)], constOf("f32", 7)), store(Y, [thread], sum));
      return [store(W, [thread], constOf("f32", 1)), ifThen(lt(sum, constOf("f32", 2)), inside)];
    });
    const [written, loaded] = [/^W_\[\(threadIdx_x_ \* 2\)\] = /, /uint2/].map((it) =>
      lines.findIndex((line) => it.test(line)),
    );
    expect(loaded).toBeGreaterThan(written!);
  });

  test("across a store to what is loaded", () => {
    const lines = printed(({ X, Y, W }) => [
      store(W, [at(2, 0)], loadOf(X, [thread])),
      store(W, [at(2, 1)], loadOf(X, [thread])),
      store(Y, [at(2, 0)], sumOf(W, [at(2, 0), at(2, 1)])),
      store(W, [at(2, 0)], constOf("f32", 7)),
      store(Y, [at(2, 1)], sumOf(W, [at(2, 0), at(2, 1)])),
    ]);
    const order = lines
      .filter((line) => /uint2|^W_/.test(line))
      .map((line) => (line.startsWith("W_") ? "store" : "load"));
    expect(order).toEqual(["store", "store", "load", "store", "load"]);
  });
});

describe("a vector that a choice may leave out", () => {
  const vector = ({ name, dtype }: { readonly name: string; readonly dtype: DType }): Expr =>
    loadOf({ name, dtype }, [ramp(at(4, -8), 1, 4)]);
  const inside = lt(constInt(1), thread);
  const zeros = broadcast(constOf("f32", 0), 4);
  const target = ramp(at(4, 0), 1, 4);

  test("is loaded where it is chosen: outside of its buffer there is nothing to load", () => {
    const lines = printed(({ X, Y }) => [store(Y, [target], select(inside, vector(X), zeros))]);
    expect(lines.filter((line) => line.includes("&X_"))).toEqual([
      "if ((1 < threadIdx_x_)) *(uint4 *)uk_run0 = *(const uint4 *)&X_[((threadIdx_x_ * 4) + (-8))];",
    ]);
  });

  test("is loaded on the other side of a choice, and on both", () => {
    const lines = printed(({ X, Y, W }) => {
      const [x, w] = [vector(X), vector(W)];
      return [store(Y, [target], add(select(inside, zeros, w), select(inside, x, add(x, w))))];
    });
    expect(lines.filter((line) => /&[XW]_/.test(line)).map((line) => line.split(" *(uint4")[0])).toEqual([
      "if (!(1 < threadIdx_x_) || !(1 < threadIdx_x_))",
      "if ((1 < threadIdx_x_) || !(1 < threadIdx_x_))",
    ]);
  });

  test("is loaded in any case where it is read in any case, too", () => {
    const lines = printed(({ X, Y }) => {
      const x = vector(X);
      return [store(Y, [target], add(select(inside, x, zeros), x))];
    });
    expect(lines.filter((line) => line.includes("&X_"))[0]).toMatch(/^\*\(uint4/);
  });
});

const { gemv, layerNorm, softmax, sum } = opLibrary;

describe.skipIf(noCudaTools)(`machine code of what is predicted${noCudaTools ? ` (${noCudaTools})` : ""}`, () => {
  // Elements that a thread loads, and the loads of four that are left of them.
  const cases: readonly (readonly [string, Op, number])[] = [
    ["softmax", softmax({ M: 4096, N: 1024 }), 8],
    ["layerNorm", layerNorm({ M: 4096, N: 768 }), 18],
    ["gemv", gemv({ M: 4096, K: 4096 }), 9],
    ["sums of rows", sum({ M: 4096, N: 1024 }), 4],
  ];
  test.each(cases)("%s: all that is loaded comes as vectors", async (_, op, most) => {
    const task = { op: instantiate(op, {}, "op"), target: cudaSm80, numerics: "fast", threads: 1 } as const;
    const space = generateSpace(task);
    const kernel = candidateKernel(task, space, predict(space)!);
    if (kernel.kind !== "ok") throw new Error(kernel.diagnostic.message);
    const source = kernel.source as CudaSource;
    const { instructions } = readMachineCode((await openNvrtc()).compile(source, source.architecture).cubin);
    expect(instructions.get("LDG")).toBeLessThanOrEqual(most);
  });
});
