// The nests that the tests of schedules start from, and the two questions they ask: does an instruction keep the meaning
// of a nest, and what does it say where it is not legal.

import { expect } from "vitest";
import gemmOp from "../../../fixtures/ops/gemm.op.ts";
import {
  authoring,
  type ComputeDef,
  codes,
  instantiate,
  interpret,
  type LayoutDim,
  type LoopFunc,
  printDiagnostic,
  printStmt,
  replay,
  schedule,
  type Trace,
  type TypedArray,
} from "../../../src/compiler/index.ts";
import { placeOf } from "../../../src/compiler/ir/buffer.ts";
import { fromCompute } from "../../../src/compiler/ir/from-compute.ts";
import { testInputs } from "../../../src/tuner/check/inputs.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const { compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

export const whole = (dim: number): LayoutDim<number> => ({ dim, part: "whole", tile: 1 });

/** Both halves of a dimension that is cut. */
export const tiled = (dim: number, tile: number): readonly [LayoutDim<number>, LayoutDim<number>] => [
  { dim, part: "outer", tile },
  { dim, part: "inner", tile },
];

/** A matrix as it is. */
export const rowMajor: readonly LayoutDim<number>[] = [whole(0), whole(1)];

const nestOf = (def: ComputeDef): LoopFunc => fromCompute(def);

/** C[i, j] = Σ A[i, k] · B[k, j] */
export const gemm = (M = 6, N = 7, K = 5): LoopFunc => nestOf(instantiate(gemmOp, { M, N, K }, "gemm"));

/** P = 2·X, element by element; Q = sums of two neighbours in P. */
export const blur: LoopFunc = nestOf(
  instantiate(
    defineOp({ N: 9 }, ({ N }) => {
      const X = tensor("X", [N + 1], "f32");
      const P = compute("P", [N + 1], (i) => X(i).mul(2));
      return compute("Q", [N], (i) => P(i).add(P(i.add(1))));
    }),
    {},
    "blur",
  ),
);

/** Q repeats every element of P = 2·X. */
export const repeat: LoopFunc = nestOf(
  instantiate(
    defineOp({ N: 5 }, ({ N }) => {
      const X = tensor("X", [N], "f32");
      const P = compute("P", [N], (i) => X(i).mul(2));
      return compute("Q", [2 * N - 1], (i) => P(i.floorDiv(2)));
    }),
    {},
    "repeat",
  ),
);

/** Two products, the first of which the second reads: D = (A·B)·E. */
export const twoGemms: LoopFunc = nestOf(
  instantiate(
    defineOp({ M: 5, N: 4, K: 3, L: 6 }, ({ M, N, K, L }) => {
      const A = tensor("A", [M, K], "f32");
      const B = tensor("B", [K, N], "f32");
      const E = tensor("E", [N, L], "f32");
      const k = reduceAxis("k", K);
      const n = reduceAxis("n", N);
      const C = compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
      return compute("D", [M, L], (i, l) => sum(C(i, n).mul(E(n, l)), n));
    }),
    {},
    "two_gemms",
  ),
);

/** The first of the two products under the rows of the second: computed a row at a time. */
export const productByRow: LoopFunc = schedule(twoGemms, [{ kind: "compute-at", block: "C", loop: "D.i" }]);

/** P = 2·X; Q = sums over windows of 3 by 2 in P, two rows apart: what a convolution reads of its producer. */
export const windows: LoopFunc = nestOf(
  instantiate(
    defineOp({ H: 5, W: 7 }, ({ H, W }) => {
      const X = tensor("X", [2 * H + 1, W + 1], "f32");
      const P = compute("P", [2 * H + 1, W + 1], (y, x) => X(y, x).mul(2));
      const r = reduceAxis("r", 3);
      const s = reduceAxis("s", 2);
      return compute("Q", [H, W], (y, x) => sum(P(y.mul(2).add(r), x.add(s)), [r, s]));
    }),
    {},
    "windows",
  ),
);

/** A convolution with padding: y[i] = Σ x[i + r - 1] · w[r], reads outside of x are 0. */
export const padded: LoopFunc = nestOf(
  instantiate(
    defineOp({ N: 7 }, ({ N }) => {
      const x = tensor("x", [N], "f32");
      const w = tensor("w", [3], "f32");
      const r = reduceAxis("r", 3);
      return compute("y", [N], (i) => {
        const at = i.add(r).sub(1);
        return sum(select(at.ge(0).and(at.lt(N)), x(at), 0).mul(w(r)), r);
      });
    }),
    {},
    "padded",
  ),
);

/** A reduction over a diagonal: P[(i·i) mod 5] has no affine index. */
export const scattered: LoopFunc = nestOf(
  instantiate(
    defineOp({ N: 5 }, ({ N }) => {
      const X = tensor("X", [N], "f32");
      const P = compute("P", [N], (i) => X(i).mul(3));
      return compute("Q", [N], (i) => P(i.mul(i).mod(N)));
    }),
    {},
    "scattered",
  ),
);

export function inputsOf(nest: LoopFunc, seed = 1): Readonly<Record<string, TypedArray>> {
  const inputs = nest.buffers.filter(({ role }) => role === "input").map((buffer) => ({ ...buffer, loc: null }));
  const arrays = testInputs(inputs, { kind: "integers", limit: 8 }, createRng(seed).unit);
  return Object.fromEntries(inputs.map(({ name }, at) => [name, arrays[at]!]));
}

/** The nest after the trace, printed; it computes what the nest before it does. */
export function scheduled(nest: LoopFunc, ...trace: Trace): string {
  const after = schedule(nest, trace);
  expect(interpret(after, inputsOf(nest))).toEqual(interpret(nest, inputsOf(nest)));
  return printStmt(after.body);
}

/** Shape and scope of the buffers after the trace: `workspace B.pack f32[2, 5, 4]`. */
export const buffersAfter = (nest: LoopFunc, ...trace: Trace): readonly string[] =>
  schedule(nest, trace).buffers.map(
    (buffer) => `${placeOf(buffer)} ${buffer.name} ${buffer.dtype}[${buffer.shape.join(", ")}]`,
  );

/** Error of the trace's last instruction; those before it are legal. */
export function refusal(nest: LoopFunc, ...trace: Trace): string {
  const result = replay(nest, trace);
  if (result.kind === "ok") throw new Error("the trace is legal");
  expect(result.at).toBe(trace.length - 1);
  expect(codes).toHaveProperty([result.diagnostic.code]);
  return printDiagnostic(result.diagnostic);
}

/** Expected error about the nest as it is: code and message, the nest with some of its loops marked, a hint. */
export const refusedOn = (
  { body }: LoopFunc,
  message: string,
  marked: readonly string[] = [],
  hint: string | null = null,
): string => [message, printStmt(body, { marked }), ...(hint === null ? [] : [`  hint: ${hint}`])].join("\n");

/** A product with an epilogue: D = max(C + b, 0), C = A·B. */
export const epilogue: LoopFunc = nestOf(
  instantiate(
    defineOp({ M: 6, N: 5, K: 4 }, ({ M, N, K }) => {
      const A = tensor("A", [M, K], "f32");
      const B = tensor("B", [K, N], "f32");
      const b = tensor("b", [N], "f32");
      const k = reduceAxis("k", K);
      const C = compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
      return compute("D", [M, N], (i, j) => C(i, j).add(b(j)).max(0));
    }),
    {},
    "epilogue",
  ),
);

/** GEMM-exp-GEMM with another function in place of exp: F = (2·(A·B))·E. */
export const gemmMapGemm: LoopFunc = nestOf(
  instantiate(
    defineOp({ M: 5, N: 4, K: 3, L: 6 }, ({ M, N, K, L }) => {
      const A = tensor("A", [M, K], "f32");
      const B = tensor("B", [K, N], "f32");
      const E = tensor("E", [N, L], "f32");
      const k = reduceAxis("k", K);
      const n = reduceAxis("n", N);
      const C = compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
      const D = compute("D", [M, N], (i, j) => C(i, j).mul(2));
      return compute("F", [M, L], (i, l) => sum(D(i, n).mul(E(n, l)), n));
    }),
    {},
    "gemm_map_gemm",
  ),
);

/** Two maps of one input, their sum, and a sum of that with one of them: S = (2·X + 3·X) + 3·X. */
export const residual: LoopFunc = nestOf(
  instantiate(
    defineOp({ N: 7 }, ({ N }) => {
      const X = tensor("X", [N], "f32");
      const P = compute("P", [N], (i) => X(i).mul(2));
      const Q = compute("Q", [N], (i) => X(i).mul(3));
      const R = compute("R", [N], (i) => P(i).add(Q(i)));
      return compute("S", [N], (i) => R(i).add(Q(i)));
    }),
    {},
    "residual",
  ),
);

/** Two results, the second of which reads the first: P = 2·X, Q = P + 1. */
export const twoResults: LoopFunc = nestOf(
  instantiate(
    defineOp({ N: 6 }, ({ N }) => {
      const X = tensor("X", [N], "f32");
      const P = compute("P", [N], (i) => X(i).mul(2));
      const Q = compute("Q", [N], (i) => P(i).add(1));
      return { P, Q };
    }),
    {},
    "two_results",
  ),
);
