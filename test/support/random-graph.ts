// Random operators whose expressions share values: a list of values, each made of some of those before it, so that one
// value is used many times and written out the expression would have no end. Inputs of four types, guarded reads, choices,
// divisions by what is positive, reductions over shared values, stages that read each other.

import {
  compute,
  defineOp,
  type Expr,
  max,
  min,
  type ReduceAxis,
  reduceAxis,
  select,
  sum,
  tensor,
} from "../../src/compiler/expr/authoring.ts";
import { type ComputeDef, instantiate } from "../../src/compiler/index.ts";
import type { Rng } from "../../src/tuner/support/rng.ts";

const levels = [6, 14, 40, 90] as const;

type Read = (index: Expr) => Expr;
type Make = (rng: Rng, pick: () => Expr, site: Site) => Expr;

interface Site {
  readonly axis: Expr;
  readonly extent: number;
  readonly read: Read;
  readonly dtype: "f32" | "f64" | "f16" | "i32";
}

/** Values stay small, so that few overflow: what is larger than it is taken back. */
const bounded = (value: Expr): Expr => value.min(4).max(-4);

const guardedRead: Make = (rng, pick, { axis, extent, read }) => {
  const by = 1 + rng.below(3);
  const shared = pick();
  return axis
    .ge(by)
    .and(axis.lt(extent))
    .select(read(axis.sub(by)).add(shared.mul(shared)), shared.sub(1));
};

const common: readonly Make[] = [
  (_, pick) => bounded(pick().add(pick())),
  (_, pick) => bounded(pick().sub(pick())),
  (_, pick) => bounded(pick().mul(pick())),
  (_, pick) => min(pick(), pick()),
  (_, pick) => pick().neg().max(pick()),
  (_, pick) => select(pick().lt(pick()), pick(), pick()),
  (rng, pick, { axis, extent }) =>
    select(axis.lt(rng.below(extent)), bounded(pick().add(1)), bounded(pick().mul(pick()))),
  guardedRead,
];
const floats: readonly Make[] = [
  (_, pick) => pick().div(pick().abs().add(1)),
  (_, pick) => pick().abs().sqrt(),
  (_, pick) => bounded(pick().pow(2)),
];
const integers: readonly Make[] = [
  (_, pick) => pick().floorDiv(pick().abs().min(9).add(1).max(1)),
  (rng, pick) => pick().mod(2 + rng.below(7)),
];

/** A value of many levels. Most operands are recent values, so that the levels are used again and again. */
function graph(rng: Rng, site: Site, count: number): Expr {
  const values: Expr[] = [site.read(site.axis)];
  const pick = (): Expr => values[Math.max(0, values.length - 1 - rng.below(Math.min(values.length, 4)))]!;
  const makes = [...common, ...(site.dtype === "i32" ? integers : floats)];
  while (values.length < count) values.push(rng.pick(makes)(rng, pick, site));
  return values.at(-1)!.add(values[values.length >> 1]!);
}

/** One to three stages; `N` is small and often a prime. */
export function randomGraph(rng: Rng): ComputeDef {
  const [N, K] = [rng.pick([1, 5, 8, 13, 24, 33] as const), rng.pick([1, 4, 7, 16] as const)];
  const dtype = rng.pick(["f32", "f32", "f64", "f16", "i32"] as const);
  const op = defineOp({}, () => {
    const X = tensor("X", [N], dtype);
    const Y = tensor("Y", [N, K], dtype);
    const siteOf = (axis: Expr, extent: number, read: Read): Site => ({ axis, extent, read, dtype });
    const maps = rng.below(3);
    let read: Read = X as Read;
    for (let at = 0; at < maps; at++) {
      const before = read;
      const count = rng.pick(levels) >> maps;
      read = compute(`M${at}`, [N], (i) => graph(rng, siteOf(i, N, before), 1 + count)) as Read;
    }
    const k: ReduceAxis = reduceAxis("k", K);
    return compute("Z", [N], (i) => {
      const value = graph(
        rng,
        siteOf(k, K, (index) => Y(i, index)),
        rng.pick(levels),
      );
      const reduced = rng.pick([() => sum(value, k), () => max(value, k), () => max(value, k).sub(min(value, k))])();
      return reduced.add(graph(rng, siteOf(i, N, read), rng.pick(levels)));
    });
  });
  return instantiate(op, {}, "graph");
}
