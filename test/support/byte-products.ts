// Products of bytes whose operands lie along the depth, which WGSL has instructions for: with a transposed matrix, with a vector, in
// batches, along the channels of a convolution. And inputs that have all bytes, or the least and the greatest.

import {
  arrayOf,
  authoring,
  type ComputeDef,
  type DType,
  instantiate,
  integerRange,
  type Op,
} from "../../src/compiler/index.ts";
import type { KernelArray } from "../../src/native/runner/protocol.ts";
import type { Rng } from "../../src/tuner/support/rng.ts";
import { type Reference, referenceOn } from "./reference.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

export type BytePair = readonly [DType, DType];
export const bytePairs: readonly BytePair[] = [
  ["i8", "i8"],
  ["u8", "u8"],
  ["u8", "i8"],
  ["i8", "u8"],
];

type Sizes = readonly [m: number, n: number, k: number];

/** C[i, j] = Σ A[i, k] · B[j, k] */
export const transposed = ([a, b]: BytePair, [m, n, depth]: Sizes): Op =>
  defineOp({}, () => {
    const [A, B, k] = [tensor("A", [m, depth], a), tensor("B", [n, depth], b), reduceAxis("k", depth)];
    return compute("C", [m, n], (i, j) => sum(A(i, k).cast("i32").mul(B(j, k).cast("i32")), k));
  });

/** Product with a transposed matrix, a bias and relu: C[i, j] = max(0, bias[j] + Σ A[i, k] · B[j, k]) */
export const finished = ([a, b]: BytePair, [m, n, depth]: Sizes): Op =>
  defineOp({}, () => {
    const [A, B, k] = [tensor("A", [m, depth], a), tensor("B", [n, depth], b), reduceAxis("k", depth)];
    const bias = tensor("bias", [n], "i32");
    const sums = compute("sums", [m, n], (i, j) => sum(A(i, k).cast("i32").mul(B(j, k).cast("i32")), k));
    return compute("C", [m, n], (i, j) => sums(i, j).add(bias(j)).max(0));
  });

export const inBatches = ([a, b]: BytePair, [m, n, depth]: Sizes): Op =>
  defineOp({}, () => {
    const [A, B] = [tensor("A", [3, m, depth], a), tensor("B", [3, n, depth], b)];
    const k = reduceAxis("k", depth);
    return compute("C", [3, m, n], (g, i, j) =>
      sum(
        A(g, i, k)
          .cast("i32")
          .mul(B(g, j, k).cast("i32")),
        k,
      ),
    );
  });

/** y[i] = Σ W[i, k] · x[k] */
export const withVector = ([a, b]: BytePair, [m, , depth]: Sizes): Op =>
  defineOp({}, () => {
    const [W, x, k] = [tensor("W", [m, depth], a), tensor("x", [depth], b), reduceAxis("k", depth)];
    return compute("y", [m], (i) => sum(W(i, k).cast("i32").mul(x(k).cast("i32")), k));
  });

/** Convolution with a window of two rows: C[i, j] = Σ X[i + r, k] · W[j, r, k] */
export const alongChannels = ([a, b]: BytePair, [m, n, depth]: Sizes): Op =>
  defineOp({}, () => {
    const [X, W] = [tensor("X", [m + 1, depth], a), tensor("W", [n, 2, depth], b)];
    const [r, k] = [reduceAxis("r", 2), reduceAxis("k", depth)];
    return compute("C", [m, n], (i, j) =>
      sum(
        X(i.add(r), k)
          .cast("i32")
          .mul(W(j, r, k).cast("i32")),
        [r, k],
      ),
    );
  });

export const byteProducts = { transposed, finished, inBatches, withVector, alongChannels } as const;

export const instantiated = (op: Op): ComputeDef => instantiate(op, {}, "op");

/** Reference on inputs of all bytes, or of the least and the greatest ones alone. */
export function referenceOfBytes(op: ComputeDef, rng: Rng, areExtremes: boolean): Reference {
  const inputs = op.inputs.map(({ dtype, shape }) => {
    const [least, most] = integerRange[dtype as keyof typeof integerRange];
    const length = shape.reduce((all, extent) => all * extent, 1);
    const value = (): number =>
      areExtremes ? rng.pick([least, least, most, most, 0, -1]) : least + rng.below(most - least + 1);
    return arrayOf(dtype, Float64Array.from({ length }, value)) as KernelArray;
  });
  return referenceOn(op, inputs);
}
