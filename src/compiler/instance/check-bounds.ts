// Proves that every read stays inside its tensor and that every integer division is defined; else the user is told.

import { fail } from "../expr/builder.ts";
import type { ComputeDef, Stage } from "../expr/compute-def.ts";
import { children } from "../expr/expr-visit.ts";
import { printExpr } from "../expr/print.ts";
import type { BinaryExpr, ReadExpr, ScalarExpr } from "../expr/scalar-expr.ts";
import { operandsFirst } from "../support/graph.ts";
import { invariant } from "../support/invariant.ts";
import { assume, isReachable, type Ranges, rangeOf, rangesOfAxes } from "./index-range.ts";

type Shapes = ReadonlyMap<string, readonly number[]>;

/** @throws DiagnosticError `expr.out-of-bounds` or `expr.bad-divisor`, at the first place that is not proven */
export function checkBounds({ inputs, stages }: ComputeDef): void {
  const shapes = new Map([
    ...inputs.map(({ name, shape }) => [name, shape] as const),
    ...stages.map(({ name, axes }) => [name, axes.map((axis) => axis.extent)] as const),
  ]);
  for (const stage of stages) checkExpr(stage.body, rangesOf(stage), shapes);
}

const rangesOf = ({ axes, reduce }: Stage): Ranges => rangesOfAxes([...axes, ...(reduce?.axes ?? [])]);

/** Position in an expression, with the conditions of the choices around it, the innermost first. */
interface ExprSite {
  readonly ranges: Ranges;
  readonly outer: ExprSite | null;
  readonly shapes: Shapes;
  /** Nodes that were looked at here: whether they and all in them are proven. */
  readonly proven: Map<ScalarExpr, boolean>;
}

/** The first node, in the order of writing, that is not proven. Most are proven wherever they stand, and that is seen once. */
function checkExpr(expr: ScalarExpr, ranges: Ranges, shapes: Shapes): void {
  const site: ExprSite = { ranges, outer: null, shapes, proven: new Map() };
  if (!isAllProven(expr, site)) failAt(expr, site);
}

/** Says whether all accesses are proven. It goes from the leaves up, so that a deep expression needs no deep recursion. */
function isAllProven(expr: ScalarExpr, site: ExprSite): boolean {
  for (const node of operandsFirst(expr, children)) isProven(node, site);
  return isProven(expr, site);
}

/** Says whether all accesses in `expr` are proven. A proof with fewer facts holds with more, so an answer of the outer site is reused. */
function isProven(expr: ScalarExpr, site: ExprSite): boolean {
  const known = site.proven.get(expr);
  if (known !== undefined) return known;
  const found = (site.outer !== null && isProven(expr, site.outer)) || provenHere(expr, site);
  site.proven.set(expr, found);
  return found;
}

const provenHere = (expr: ScalarExpr, site: ExprSite): boolean =>
  parts(expr).every((part) => isProven(part.expr, site) || isSideProven(part, site)) && !problemOf(expr, site);

interface ExprPart {
  readonly expr: ScalarExpr;
  /** The choice of which it is a side. */
  readonly side: { readonly condition: ScalarExpr; readonly holds: boolean } | null;
}

function parts(expr: ScalarExpr): readonly ExprPart[] {
  if (expr.kind !== "select") return children(expr).map((child) => ({ expr: child, side: null }));
  const { condition } = expr;
  return [
    { expr: condition, side: null },
    { expr: expr.then, side: { condition, holds: true } },
    { expr: expr.else, side: { condition, holds: false } },
  ];
}

/** Says whether a side of a choice is proven. A side that is never taken needs no proof. */
function isSideProven({ expr, side }: ExprPart, site: ExprSite): boolean {
  if (!side) return false;
  const inside = insideOf(side, site);
  return !isReachable(inside.ranges) || isAllProven(expr, inside);
}

/** Site of all that stands on one side of a choice. */
function insideOf({ condition, holds }: NonNullable<ExprPart["side"]>, site: ExprSite): ExprSite {
  const ranges = assume(site.ranges, condition, holds);
  return { ranges, outer: site, shapes: site.shapes, proven: new Map() };
}

/** @throws always: `expr` is not proven */
function failAt(expr: ScalarExpr, site: ExprSite): never {
  for (const part of parts(expr)) {
    if (isProven(part.expr, site) || isSideProven(part, site)) continue;
    failAt(part.expr, part.side ? insideOf(part.side, site) : site);
  }
  const problem = problemOf(expr, site);
  invariant(problem, "what is not proven has a problem");
  return problem();
}

/** Tells the user what is wrong, as an error. */
type Problem = () => never;

function problemOf(expr: ScalarExpr, { ranges, shapes }: ExprSite): Problem | null {
  if (expr.kind === "read") return readProblem(expr, ranges, shapes.get(expr.tensor)!);
  return expr.kind === "binary" && (expr.op === "floorDiv" || expr.op === "mod") ? divisorProblem(expr, ranges) : null;
}

function readProblem(
  { tensor, indices, dtype, loc }: ReadExpr,
  ranges: Ranges,
  shape: readonly number[],
): Problem | null {
  for (const [dim, index] of indices.entries()) {
    const extent = shape[dim]!;
    const { min, max } = rangeOf(index, ranges);
    if ((min >= 0 && max < extent) || min > max) continue;
    return () => {
      const text = printExpr(index);
      const below = min < 0 ? [`${text} >= 0`] : [];
      const above = max >= extent ? [`${text} < ${extent}`] : [];
      const where = [...below, ...above].join(" and ");
      const message = `index ${dim} of ${tensor} can be ${min} to ${max}, the dimension has 0 to ${extent - 1}`;
      return fail("expr.out-of-bounds", message, {
        loc,
        hint: `guard the read with select where ${where}, or clamp the index with min and max`,
        note: `${tensor}: ${dtype}[${shape.join(", ")}]`,
      });
    };
  }
  return null;
}

/** Problem of a divisor: division by zero traps on some targets; a negative divisor would round differently. */
function divisorProblem({ op, right, loc }: BinaryExpr, ranges: Ranges): Problem | null {
  const { min, max } = rangeOf(right, ranges);
  if (min >= 1 || min > max) return null;
  const hint = "clamp it: max(d, 1)";
  const message = `the divisor of ${op} can be ${min} to ${max}, it must be positive`;
  return () => fail("expr.bad-divisor", message, { loc, hint });
}
