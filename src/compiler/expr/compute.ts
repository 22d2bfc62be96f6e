// `compute`: runs the function of a stage and closes it: nested reductions are placed before it or become it.

import { parentsFirst } from "../support/graph.ts";
import { type AxisRecord, type Builder, builderFor, fail, here, type OpenCompute, withOpenCompute } from "./builder.ts";
import type { Stage } from "./compute-def.ts";
import { isIdentifier, requireArity, requireDistinct, requireNewName, requireShape } from "./declaration-check.ts";
import { requireDepth } from "./depth-limit.ts";
import type { DType } from "./dtype.ts";
import { ExprHandle, toExpr } from "./expr-handle.ts";
import type { Expr, Tensor } from "./expr-type.ts";
import { axesIn, children, readsIn } from "./expr-visit.ts";
import { newAxis, plainAxis } from "./reduce-axis.ts";
import type { ScalarExpr } from "./scalar-expr.ts";
import { tensorHandle } from "./tensor.ts";

type AxesOf<S extends readonly number[]> = { readonly [N in keyof S]: Expr<"i32"> };

/**
 * A tensor whose every element is `element(i, j, …)`, in the type of that expression. Its axes have the names of the
 * function's parameters. A reduction inside a larger expression becomes a stage of its own, over those axes that it
 * depends on: `A(i, j).div(sum(A(i, k), k))` computes each sum once.
 *
 * @param shape positive integers; `[]` is a single element
 * @example compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k))
 */
export function compute<D extends DType, const S extends readonly number[]>(
  name: string,
  shape: S,
  element: (...axes: AxesOf<S>) => Expr<D>,
): Tensor<D> {
  const builder = builderFor("compute");
  requireNewName(builder, name);
  requireShape(name, shape);
  requireArity(name, shape, element);
  const axes = axisNames(element, shape.length).map((axis, dim) => newAxis(builder, axis, shape[dim]!, name));
  const open: OpenCompute = { name, axes, pending: [] };
  const handles = axes.map(({ node }) => new ExprHandle<"i32">(node)) as unknown as AxesOf<S>;
  const body = bodyOf(
    name,
    withOpenCompute(builder, open, () => element(...handles)),
  );
  requireDepth(body, `the element of ${name}`);
  requireBound(builder, body, axes);
  builder.stages.push(...close(open, body));
  return tensorHandle(builder, name, shape, body.dtype as D);
}

function bodyOf(name: string, element: unknown): ScalarExpr {
  if (element === undefined) {
    const hint = `its function returns nothing: write (i) => A(i), or return in braces`;
    fail("expr.not-an-expression", `the element of ${name} has no value`, { hint });
  }
  if (typeof element !== "number") return toExpr(element, "f32", `the element of ${name}`);
  const hint = Number.isNaN(element)
    ? 'see what it is worked out from; cast(x, "f32") gives a number a type'
    : `give it a type: cast(${element}, "f32")`;
  return fail(
    "expr.no-dtype",
    `the element of ${name} is ${Number.isNaN(element) ? "not a number" : "a plain number"}`,
    { hint },
  );
}

/**
 * The stages of a compute in order: the reductions that it needs, and itself. If the element is one of the reductions
 * as a whole, over all axes, that reduction is the compute.
 */
function close({ name, axes: records, pending }: OpenCompute, body: ScalarExpr): readonly Stage[] {
  const axes = records.map(plainAxis);
  requireDistinct(
    axes.map((axis) => axis.name),
    name,
  );
  const whole = pending.find((stage) => body.kind === "read" && body.tensor === stage.name);
  const isWhole = whole?.axes.length === axes.length; // its axes are those it depends on, in our order
  const loc = here();
  const last: Stage =
    whole && isWhole ? { ...whole, name, loc } : { name, axes, dtype: body.dtype, reduce: null, body, loc };
  return [...neededBy(last, pending), last];
}

/** Stages that the element needs: reductions that were written but do not reach it are dropped. */
function neededBy(last: Stage, pending: readonly Stage[]): readonly Stage[] {
  const needed = new Set<string>([last.name]);
  // A stage reads only earlier ones, so one backward pass finds all.
  for (const { name, body } of [last, ...pending.toReversed()]) {
    if (needed.has(name)) for (const { tensor } of readsIn(body)) needed.add(tensor);
  }
  return pending.filter(({ name }) => needed.has(name));
}

/** Refuses an element with an axis that is not one of the compute's own. */
function requireBound(builder: Builder, body: ScalarExpr, axes: readonly AxisRecord[]): void {
  const free = axesIn(body).find((node) => !axes.some((axis) => axis.node === node));
  if (!free) return;
  const loc = userOf(free, body)?.loc ?? here();
  const owner = builder.axes.get(free)?.owner;
  if (owner) {
    const hint = "a compute uses the parameters of its own function";
    fail("expr.axis-outside", `axis ${free.name} belongs to the compute ${owner}`, { hint, loc });
  }
  const hint = `reduce over it: sum(…, ${free.name})`;
  fail("expr.reduce-axis-outside", `reduce axis ${free.name} is used outside its reducer`, { hint, loc });
}

/** The expression that uses the node; an axis itself knows only where it was made. */
const userOf = (node: ScalarExpr, root: ScalarExpr): ScalarExpr | undefined =>
  parentsFirst(root, children).find((user) => children(user).includes(node));

/** The parameter names of `(i, j) => …` and `function (i, j) …`; `i0`, `i1`, … where they are no plain names. */
export function axisNames(element: (...axes: never) => unknown, rank: number): readonly string[] {
  const source = /^(?:function\s*\w*\s*)?(?:\(([^)]*)\)|(\w+)\s*=>)/.exec(String(element));
  const written = (source?.[1] ?? source?.[2] ?? "").split(",").map((name) => name.trim());
  const names = Array.from({ length: rank }, (_, dim) => (isIdentifier(written[dim]) ? written[dim] : `i${dim}`));
  return new Set(names).size === rank ? names : names.map((_, dim) => `i${dim}`);
}
