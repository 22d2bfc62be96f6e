// The reducers. Each call makes a stage of the open compute over the axes that its value depends on, and reads it.

import { remembered } from "../support/remembered.ts";
import { type AxisRecord, type Builder, builderFor, fail, here, type OpenCompute } from "./builder.ts";
import type { Stage } from "./compute-def.ts";
import { requireDistinct } from "./declaration-check.ts";
import { requireDepth } from "./depth-limit.ts";
import { given } from "./describe.ts";
import type { DType } from "./dtype.ts";
import { binary, ExprHandle, toExpr, widen } from "./expr-handle.ts";
import type { ComputeType, Expr, Operand, ReduceAxis, ResultType } from "./expr-type.ts";
import { axesIn } from "./expr-visit.ts";
import { accepts } from "./operator-dtype.ts";
import { printStage } from "./print.ts";
import { plainAxis, ReduceAxisHandle } from "./reduce-axis.ts";
import type { AxisExpr, ReadExpr, Reducer, ScalarExpr } from "./scalar-expr.ts";

/** One reduce axis, or several: the first is the outermost. */
export type ReduceAxes = ReduceAxis | readonly ReduceAxis[];

/**
 * The sum over reduce axes, in the type of `x`; f16 and bf16 are summed in f32, integers wrap.
 *
 * @example compute("y", [M], (i) => sum(A(i, k).mul(x(k)), k))
 */
export const sum = <D extends DType>(x: Expr<D>, axes: ReduceAxes): Expr<ComputeType<D>> => reduce("sum", x, axes);

/** The product over reduce axes, in the type of `x`; f16 and bf16 are multiplied in f32, integers wrap. */
export const prod = <D extends DType>(x: Expr<D>, axes: ReduceAxes): Expr<ComputeType<D>> => reduce("prod", x, axes);

/** The larger of two values (`a < b ? b : a`), or the largest value over reduce axes. */
export function max<D extends DType>(x: Expr<D>, axes: ReduceAxes): Expr<ComputeType<D>>;
export function max<A extends Operand, B extends Operand>(a: A, b: B): Expr<ResultType<A, B>>;
export function max(a: Operand, b: Operand | ReduceAxes): Expr {
  return isAxes(b) ? reduce("max", a, b) : binary("max", a, b);
}

/** The smaller of two values (`b < a ? b : a`), or the smallest value over reduce axes. */
export function min<D extends DType>(x: Expr<D>, axes: ReduceAxes): Expr<ComputeType<D>>;
export function min<A extends Operand, B extends Operand>(a: A, b: B): Expr<ResultType<A, B>>;
export function min(a: Operand, b: Operand | ReduceAxes): Expr {
  return isAxes(b) ? reduce("min", a, b) : binary("min", a, b);
}

/** The first index (i32) of the largest value over one reduce axis; the last index of the axis if all are NaN. */
export const argmax = (x: Expr, axis: ReduceAxis): Expr<"i32"> => indexOf("max", "argmax", x, axis);

/** The first index (i32) of the smallest value over one reduce axis; the last index of the axis if all are NaN. */
export const argmin = (x: Expr, axis: ReduceAxis): Expr<"i32"> => indexOf("min", "argmin", x, axis);

const isAxes = (value: unknown): value is ReduceAxes => value instanceof ReduceAxisHandle || Array.isArray(value);

function reduce<D extends DType>(reducer: Reducer, x: unknown, axes: ReduceAxes): Expr<D> {
  const [builder, open] = scopeOf(reducer);
  const body = reducedValue(reducer, x);
  return new ExprHandle(pend(builder, open, { suffix: reducer, reducer, axes: recordsOf(reducer, axes), body }));
}

/**
 * argmax(x, k) = min over k of `x == max(x, k) ? k : extent - 1`: no index is larger than extent - 1, so it never wins
 * over a match. A value that is more than a read is stored first: computed twice it might round in two ways.
 */
function indexOf(reducer: "max" | "min", name: string, x: unknown, axis: ReduceAxis): Expr<"i32"> {
  const [builder, open] = scopeOf(name);
  const value = reducedValue(name, x);
  const [k, ...more] = recordsOf(name, axis);
  if (!k || more.length > 0) {
    fail("expr.bad-reduce-axis", `${name} is given ${more.length + 1} reduce axes`, { hint: "it takes one" });
  }
  const stored = isPlainRead(value) ? value : pend(builder, open, { suffix: `${name}.value`, body: value });
  const best = pend(builder, open, { suffix: `${name}.${reducer}`, reducer, axes: [k], body: stored });
  const match = binary("eq", new ExprHandle(stored), new ExprHandle(best));
  const body = toExpr(match.select(new ReduceAxisHandle(k), k.extent - 1), "i32", name);
  return new ExprHandle(pend(builder, open, { suffix: name, reducer: "min", axes: [k], body }));
}

const isPlainRead = (expr: ScalarExpr): boolean =>
  expr.kind === "read" || (expr.kind === "cast" && expr.operand.kind === "read");

interface Pending {
  /** Suffix of the stage's name, `<compute>.<suffix>`. */
  readonly suffix: string;
  /** Reducer of the stage; absent for a map. */
  readonly reducer?: Reducer;
  readonly axes?: readonly AxisRecord[];
  readonly body: ScalarExpr;
}

/**
 * The element of a stage over all axes that `body` has and `axes` does not bind: of one that the open compute has already,
 * if that computes the same, else of a new one.
 */
function pend(builder: Builder, open: OpenCompute, { suffix, reducer, axes = [], body }: Pending): ReadExpr {
  const loc = here();
  const free = inOrder(
    open,
    axesIn(body).filter((node) => !axes.some((axis) => axis.node === node)),
  );
  const spatial = free.map((node) => builder.axes.get(node)!);
  requireDistinct(
    [...spatial, ...axes].map(({ node }) => node.name),
    open.name,
  );
  const reduced = reducer ? { reducer, axes: axes.map(plainAxis) } : null;
  const stage: Stage = {
    name: nameFor(open, suffix),
    axes: spatial.map(plainAxis),
    dtype: body.dtype,
    reduce: reduced,
    body,
    loc,
  };
  const equal = open.pending.find((other) => meaningOf(other).text === meaningOf(stage).text);
  if (!equal) open.pending.push(stage);
  return { kind: "read", tensor: (equal ?? stage).name, indices: free, dtype: stage.dtype, loc };
}

/** The canonical text of a stage without its name: what it computes. */
const meaningOf = remembered((stage: Stage) => ({ text: printStage({ ...stage, name: "" }) }));

/** The axes of the compute in their order, then reduce axes of an outer reducer. */
function inOrder({ axes }: OpenCompute, free: readonly AxisExpr[]): readonly AxisExpr[] {
  const own = axes.map(({ node }) => node);
  return [...own.filter((node) => free.includes(node)), ...free.filter((node) => !own.includes(node))];
}

function nameFor({ name, pending }: OpenCompute, suffix: string): string {
  const wanted = `${name}.${suffix}`;
  const taken = (candidate: string): boolean => pending.some((stage) => stage.name === candidate);
  if (!taken(wanted)) return wanted;
  let n = 2;
  while (taken(`${wanted}${n}`)) n++;
  return `${wanted}${n}`;
}

function scopeOf(reducer: string): readonly [Builder, OpenCompute] {
  const builder = builderFor(reducer);
  if (builder.open) return [builder, builder.open];
  const hint = 'call it in the function of a compute: compute("S", [M], (i) => sum(A(i, k), k))';
  return fail("expr.outside-op", `${reducer} is called outside a compute`, { hint });
}

function reducedValue(reducer: string, x: unknown): ScalarExpr {
  if (typeof x === "number") {
    fail("expr.no-dtype", `${reducer} is given a plain number`, { hint: `give it a type: cast(${x}, "f32")` });
  }
  const value = widen(toExpr(x, "f32", `the value of ${reducer}`));
  requireDepth(value, `the value of ${reducer}`);
  if (accepts("numbers", value.dtype)) return value;
  return fail("expr.unsupported-dtype", `${reducer} is given bool, it takes numbers`, {
    hint: 'cast it: x.cast("i32")',
  });
}

function recordsOf(reducer: string, axes: ReduceAxes): readonly AxisRecord[] {
  const list: readonly unknown[] = Array.isArray(axes) ? axes : [axes];
  if (list.length === 0 || axes === undefined) {
    fail("expr.bad-reduce-axis", `${reducer} is given no reduce axis`, { hint: 'const k = reduceAxis("k", K)' });
  }
  return list.map((axis) => {
    if (axis instanceof ReduceAxisHandle) return axis.record;
    const found = axis instanceof ExprHandle ? "an expression that is not a reduce axis" : given(axis);
    return fail("expr.bad-reduce-axis", `${reducer} is given ${found}`, { hint: 'const k = reduceAxis("k", K)' });
  });
}
