// Short reductions by lot: taps of filters, pools, coordinates of points, small matrices, few channels. Their operands lie along the axis that is
// summed over, beside it, or in strides, and a map or another reduction may read them.

import { authoring, type DType, type Op } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { between } from "./drawing.ts";

const { cast, compute, defineOp, max, min, prod, reduceAxis, sum, tensor } = authoring;
type Expr = authoring.Expr;
type Index = authoring.Expr<"i32">;

/** Small ones are run by interpreters; large ones are not run. */
type Size = "small" | "large";

export const drawShort = (rng: Rng, size: Size): Op => defineOp({}, () => shortStages(rng, size));

/** A reduction of up to 25 terms, now and then more, and what reads it. */
export function shortStages(rng: Rng, size: Size): authoring.Tensor {
  const computed = rng.pick(["f32", "f32", "f64", "i32"] as const);
  const short = rng.pick([windows, rows, pairs])(rng, size, computed);
  const behind = rng.pick([() => short, () => short, () => afterMap(short), () => overLast(rng, short)]);
  return behind();
}

type Computed = "f32" | "f64" | "i32";

const storedTypes: Readonly<Record<Computed, readonly DType[]>> = {
  f32: ["f32", "f32", "f16", "u8"],
  f64: ["f64"],
  i32: ["i32", "u8", "i16"],
};

type Read = (...indices: readonly Index[]) => Expr;

function operand(rng: Rng, name: string, shape: readonly number[], computed: Computed): Read {
  const stored = rng.pick(storedTypes[computed]);
  const whole = tensor(name, [...shape], stored);
  return (...indices) => {
    const element = whole(...indices);
    return stored === computed ? element : cast(element as never, computed);
  };
}

/** Products grow fast: they have few terms. */
function reducerOf(rng: Rng, terms: number): (value: Expr, axes: Index | readonly Index[]) => Expr {
  const all = [sum, sum, max, min, ...(terms <= 3 ? [prod] : [])];
  return rng.pick(all) as never;
}

/** Windows of an image in planes, or with channels behind, of one row or several, in steps. */
function windows(rng: Rng, size: Size, computed: Computed): authoring.Tensor {
  const [high, wide] =
    size === "large" ? [between(rng, 20, 400), between(rng, 20, 600)] : [between(rng, 1, 7), between(rng, 1, 40)];
  const [tall, long] = [between(rng, 1, 5), between(rng, 1, 5)];
  const [down, right] = [between(rng, 1, 3), between(rng, 1, 3)];
  const channels = rng.pick([0, 0, between(rng, 1, 5), 16]);
  const shape = [high * down + tall - 1, wide * right + long - 1, ...(channels > 0 ? [channels] : [])];
  const image = operand(rng, "image", shape, computed);
  const taps = rng.below(2) === 0 ? operand(rng, "taps", [tall, long], computed) : null;
  const [a, b] = [reduceAxis("a", tall), reduceAxis("b", long)];
  const reduce = reducerOf(rng, tall * long);
  const element = (y: Index, x: Index, ...rest: readonly Index[]): Expr => {
    const value = image(y.mul(down).add(a), x.mul(right).add(b), ...rest);
    return reduce(taps ? value.mul(taps(a, b)) : value, [a, b]);
  };
  if (channels > 0) return compute("S", [high, wide, channels], element);
  return compute("S", [high, wide], (y, x) => element(y, x));
}

/** Rows of few elements, each reduced to one. */
function rows(rng: Rng, size: Size, computed: Computed): authoring.Tensor {
  const count = size === "large" ? between(rng, 500, 9000) : between(rng, 1, 70);
  const terms = rng.pick([1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 12, 15, 16, 20, 24, 25, 26]);
  const columns = rng.below(3) === 0;
  const whole = operand(rng, "X", columns ? [terms, count] : [count, terms], computed);
  const weights = rng.below(3) === 0 ? operand(rng, "w", [terms], computed) : null;
  const k = reduceAxis("k", terms);
  const reduce = reducerOf(rng, terms);
  return compute("S", [count], (i) => {
    const value = columns ? whole(k, i) : whole(i, k);
    return reduce(weights ? value.mul(weights(k)) : value, k);
  });
}

/** Few coordinates of two points, or products of small matrices, now and then a batch of them. */
function pairs(rng: Rng, size: Size, computed: Computed): authoring.Tensor {
  const isLarge = size === "large";
  const batch = rng.pick([0, 0, isLarge ? between(rng, 10, 900) : between(rng, 1, 5)]);
  const [M, N] =
    isLarge && batch === 0 ? [between(rng, 10, 900), between(rng, 10, 900)] : [between(rng, 1, 9), between(rng, 1, 20)];
  const terms = rng.pick([1, 2, 3, 3, 4, 6, 8, 16, 24]);
  const around = batch > 0 ? [batch] : [];
  const first = rng.below(2) === 0;
  const [P, Q] = [
    operand(rng, "P", [...around, M, terms], computed),
    operand(rng, "Q", [...around, ...(first ? [terms, N] : [N, terms])], computed),
  ];
  const k = reduceAxis("k", terms);
  const reduce = reducerOf(rng, terms);
  const combine = rng.pick([
    (a: Expr, b: Expr) => a.mul(b),
    (a: Expr, b: Expr) => a.sub(b).mul(a.sub(b)),
    (a: Expr, b: Expr) => a.sub(b).abs(),
  ]);
  const element = (lead: readonly Index[], i: Index, j: Index): Expr =>
    reduce(combine(P(...lead, i, k), first ? Q(...lead, k, j) : Q(...lead, j, k)), k);
  if (batch > 0) return compute("S", [batch, M, N], (b, i, j) => element([b], i, j));
  return compute("S", [M, N], (i, j) => element([], i, j));
}

function afterMap(short: authoring.Tensor): authoring.Tensor {
  return compute("Y", [...short.shape], (...indices: Index[]) => {
    const value: Expr = short(...indices);
    return value.max(0).mul(2).add(value);
  });
}

/** The least or the greatest along the last axis. */
function overLast(rng: Rng, short: authoring.Tensor): authoring.Tensor {
  const { shape } = short;
  if (shape.length < 2) return short;
  const l = reduceAxis("l", shape.at(-1)!);
  const reduce = rng.pick([min, max]) as (value: Expr, axis: Index) => Expr;
  return compute("Y", shape.slice(0, -1), (...indices: Index[]) => reduce(short(...indices, l), l));
}
