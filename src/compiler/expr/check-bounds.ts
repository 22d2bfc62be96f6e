// Proves that every read stays inside its tensor and that every integer division is defined; else the user is told.

import { fail } from "./builder.ts";
import type { ComputeDef, Stage } from "./compute-def.ts";
import { children } from "./expr-visit.ts";
import { assume, isReachable, rangeOf, type Scope } from "./index-range.ts";
import { printExpr } from "./print.ts";
import type { BinaryExpr, ReadExpr, ScalarExpr } from "./scalar-expr.ts";

type Shapes = ReadonlyMap<string, readonly number[]>;

/** @throws DiagnosticError `expr.out-of-bounds` or `expr.bad-divisor`, at the first place that is not proven */
export function checkBounds({ inputs, stages }: ComputeDef): void {
  const shapes = new Map([
    ...inputs.map(({ name, shape }) => [name, shape] as const),
    ...stages.map(({ name, axes }) => [name, axes.map((axis) => axis.extent)] as const),
  ]);
  for (const stage of stages) checkExpr(stage.body, scopeOf(stage), shapes);
}

function scopeOf({ axes, reduce }: Stage): Scope {
  const all = [...axes, ...(reduce?.axes ?? [])];
  return { extents: new Map(all.map(({ name, extent }) => [name, extent])), facts: [] };
}

function checkExpr(expr: ScalarExpr, scope: Scope, shapes: Shapes): void {
  if (expr.kind === "select") {
    checkExpr(expr.condition, scope, shapes);
    checkSide(expr.then, assume(scope, expr.condition, true), shapes);
    checkSide(expr.else, assume(scope, expr.condition, false), shapes);
    return;
  }
  for (const child of children(expr)) checkExpr(child, scope, shapes);
  if (expr.kind === "read") checkRead(expr, scope, shapes.get(expr.tensor)!);
  if (expr.kind === "binary" && (expr.op === "floorDiv" || expr.op === "mod")) checkDivisor(expr, scope);
}

/** A side that is never taken may hold what it likes. */
function checkSide(side: ScalarExpr, scope: Scope, shapes: Shapes): void {
  if (isReachable(scope)) checkExpr(side, scope, shapes);
}

function checkRead({ tensor, indices, dtype, loc }: ReadExpr, scope: Scope, shape: readonly number[]): void {
  for (const [dim, index] of indices.entries()) {
    const extent = shape[dim]!;
    const [min, max] = rangeOf(index, scope);
    if ((min >= 0 && max < extent) || min > max) continue;
    const text = printExpr(index);
    const below = min < 0 ? [`${text} >= 0`] : [];
    const above = max >= extent ? [`${text} < ${extent}`] : [];
    const message = `index ${dim} of ${tensor} can be ${min} to ${max}, the dimension has 0 to ${extent - 1}`;
    fail("expr.out-of-bounds", message, {
      loc,
      hint: `guard the read with select where ${[...below, ...above].join(" and ")}, or clamp the index with min and max`,
      note: `${tensor}: ${dtype}[${shape.join(", ")}]`,
    });
  }
}

/** Division by zero traps on some targets; a negative divisor would round differently. */
function checkDivisor({ op, right, loc }: BinaryExpr, scope: Scope): void {
  const [min, max] = rangeOf(right, scope);
  if (min >= 1 || min > max) return;
  const hint = "clamp it: max(d, 1)";
  fail("expr.bad-divisor", `the divisor of ${op} can be ${min} to ${max}, it must be positive`, { loc, hint });
}
