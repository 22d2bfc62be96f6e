// An operator in the drawing: the random numbers that decide, and the tensors that stages may read so far.

import * as authoring from "../../../src/compiler/expr/authoring.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";

/**
 * Kinds of expressions that are drawn. "exact": integers, and floats that rounding in another order does not change
 * unless they grow; choices, remainders and conversions included. "smooth": divisions and functions too, and nothing
 * that jumps where an operand moves by one rounding.
 */
export type Manner = "exact" | "smooth";

/** An axis in scope: of the compute, or of the reduction that is being written. */
export interface DrawnAxis {
  readonly expr: authoring.Expr<"i32">;
  readonly extent: number;
}

export interface Drawing {
  readonly rng: Rng;
  readonly manner: Manner;
  /** Extents that axes of this operator have: few, so that tensors and axes fit each other. */
  readonly extents: readonly number[];
  /** Inputs and earlier stages. */
  readonly tensors: authoring.Tensor[];
  /** Names of the stages that something has read. */
  readonly read: Set<string>;
  readonly size: OperatorSize;
}

/** Limits of an operator's size. */
export interface OperatorSize {
  /** Extents that axes may have: an operator has few of them. */
  readonly extents: readonly number[];
  /** Most iterations of a stage. */
  readonly iterations: number;
  /** Most elements of an input. */
  readonly elements: number;
}

/** Interpreters run them several times. Odd extents and primes among them, and powers of two around the lengths of vectors. */
export const small: OperatorSize = {
  extents: [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 19, 24, 31, 32, 33, 37, 48, 64, 65, 67, 97, 100, 128],
  iterations: 12_000,
  elements: 6000,
};

/** Their spaces have blocks for every level of cache; they are not run. */
export const large: OperatorSize = {
  extents: [1, 3, 4, 8, 16, 32, 37, 64, 96, 100, 121, 127, 128, 192, 225, 256, 384, 500, 512, 768, 1000, 1024, 2048],
  iterations: 2 ** 33,
  elements: 2 ** 24,
};

export function newDrawing(rng: Rng, size: OperatorSize): Drawing {
  const extents = Array.from({ length: 2 + rng.below(3) }, () => rng.pick(size.extents));
  const manner = rng.below(4) === 0 ? "smooth" : "exact";
  return { rng, manner, extents, tensors: [], read: new Set(), size };
}

/** A whole number from `least` to `most`. */
export const between = (rng: Rng, least: number, most: number): number => least + rng.below(most - least + 1);

/** True once in `times`. */
export const once = ({ rng }: Drawing, times: number): boolean => rng.below(times) === 0;

/** One of the ways, by weight. */
export function oneOf<T>({ rng }: Drawing, ways: readonly (readonly [weight: number, way: T])[]): T {
  let at = rng.below(ways.reduce((total, [weight]) => total + weight, 0));
  for (const [weight, way] of ways) {
    if (at < weight) return way;
    at -= weight;
  }
  throw new Error("weights are positive");
}

/** Adds an input, which later stages may read, too. */
export function newInput(drawing: Drawing, shape: readonly number[], dtype: authoring.DType): authoring.Tensor {
  const inputs = drawing.tensors.filter(({ tensorName }) => tensorName.startsWith("T"));
  const tensor = authoring.tensor(`T${inputs.length}`, shape, dtype);
  drawing.tensors.push(tensor);
  return tensor;
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);
