// Products of few rows by lot, all of whose operands lie along the axis that is summed over, or nearly so: layers with weights as they are stored
// [outputs, inputs], quantized in groups or two to a byte, distances between points, scores of attention.

import { authoring, type DType, type Op } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { between } from "./drawing.ts";

const { cast, compute, defineOp, max, reduceAxis, select, sum, tensor } = authoring;
type Expr = authoring.Expr;
type Index = authoring.Expr<"i32">;

/** Small ones are run by interpreters; large ones are not run. */
type Size = "small" | "large";

export const drawRows = (rng: Rng, size: Size): Op => defineOp({}, () => rowStages(rng, size));

/** The result has rows, columns, and now and then a batch. */
export function rowStages(rng: Rng, size: Size): authoring.Tensor {
  const isLarge = size === "large";
  const rows = isLarge ? rng.pick([1, 2, 3, 4, 7, 8, 16, 33, 100]) : between(rng, 1, 9);
  const columns = isLarge ? between(rng, 20, 700) : between(rng, 1, 17);
  const batch = rng.below(4) === 0 ? between(rng, 2, 3) : 1;
  const depth = isLarge ? between(rng, 64, 1500) : between(rng, 1, 70);
  const computed = rng.pick(["f32", "f32", "i32"] as const);
  const k = reduceAxis("k", depth);
  const left = operand(rng, "X", [batch, rows], depth, computed);
  const right = drawWeights(rng, "W", rng.below(2) ? [batch, columns] : [columns], depth, computed);
  const combine = rng.pick([
    (a: Expr, b: Expr) => sum(a.mul(b), k),
    (a: Expr, b: Expr) => sum(a.mul(b), k),
    (a: Expr, b: Expr) => sum(a.sub(b).abs(), k),
    (a: Expr, b: Expr) => max(a.mul(b), k),
  ]);
  const element = (b: Index, i: Index, j: Index): Expr => combine(left([b, i], k), right([b, j], k));
  if (batch === 1) return compute("S", [rows, columns], (i, j) => element(i.mul(0), i, j));
  return compute("S", [batch, rows, columns], element);
}

/** An element by its leading indices, of which the last ones count, and the one that is summed over. */
type Read = (leading: readonly Index[], k: Index) => Expr;

const integerTypes: readonly DType[] = ["u8", "i8", "i16", "i32"];
const floatTypes: readonly DType[] = ["f32", "f32", "f16", "bf16", "i8", "u8"];

function operand(rng: Rng, name: string, leading: readonly number[], depth: number, computed: "f32" | "i32"): Read {
  const stored = rng.pick(computed === "i32" ? integerTypes : floatTypes);
  const shape = leading[0] === 1 ? leading.slice(1) : leading;
  const whole = tensor(name, [...shape, depth], stored);
  return (indices, k) => asComputed(whole(...indices.slice(indices.length - shape.length), k), stored, computed);
}

const asComputed = (element: Expr, stored: DType, computed: "f32" | "i32"): Expr =>
  stored === computed ? element : cast(element as never, computed);

/** Weights as they are, with a scale for each group of neighbours, or two to a byte. */
function drawWeights(rng: Rng, name: string, leading: readonly number[], depth: number, computed: "f32" | "i32"): Read {
  const shape = leading[0] === 1 ? leading.slice(1) : leading;
  const own = (indices: readonly Index[]): readonly Index[] => indices.slice(indices.length - shape.length);
  const plain = (): Read => operand(rng, name, leading, depth, computed);
  const inPairs = (): Read => {
    const pairs = tensor(`${name}_pairs`, [...shape, Math.ceil(depth / 2)], "u8");
    return (indices, k) => {
      const both = cast(pairs(...own(indices), k.floorDiv(2)), "i32");
      return asComputed(select(k.mod(2).eq(0), both.mod(16), both.floorDiv(16)).sub(8), "i32", computed);
    };
  };
  const scaled = (read: Read): Read => {
    const group = rng.pick([4, 8, 16, 24, 32, 64, 128]);
    const scale = tensor(`${name}_scale`, [...shape, Math.ceil(depth / group)], computed);
    return (indices, k) => read(indices, k).mul(scale(...own(indices), k.floorDiv(group)));
  };
  return rng.pick([plain, plain, () => scaled(plain()), inPairs, () => scaled(inPairs())])();
}
