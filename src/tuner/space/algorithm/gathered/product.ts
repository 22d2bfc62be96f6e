// Recognises a product of matrices by what its sum says, whatever the layout of its operands: one factor depends on some axes of the
// result, the other factor on the remaining ones, and both depend on the axes of a batch.
//
//   out[n, y, x, f] += image[n, y + ry, x + rx, c] · filter[ry, rx, c, f]     rows n, y, x; columns f; depth ry, rx, c
//   C[i, j] += A[i, k] · B[j, k]                                              rows i; columns j; depth k
//   C[i, j] += f16 A[i, k] · i8 B[k, j]                                       the same of halves, with B as f16

import {
  type Axis,
  axesIn,
  byteSize,
  castOf,
  type DType,
  type ScalarExpr,
  type Stage,
  selectOf,
  tensorOperands,
} from "../../../../compiler/index.ts";

export interface MatrixProduct {
  /** The stage that sums. */
  readonly stage: Stage;
  /** Axes of the result that both factors depend on, those that the left one does, and those that the right one does. */
  readonly batch: readonly Axis[];
  readonly rows: readonly Axis[];
  readonly columns: readonly Axis[];
  readonly depth: readonly Axis[];
  /** The factors in their narrow type, before they are widened to that of the sum. */
  readonly left: ScalarExpr;
  readonly right: ScalarExpr;
}

/** Types that tensor cores multiply. */
const narrowTypes: ReadonlySet<DType> = new Set(tensorOperands.flatMap(({ left, right }) => [left, right]));

/** Returns the product. Null: the stage is something else. */
export function matrixProductOf(stage: Stage): MatrixProduct | null {
  const { axes, body, reduce } = stage;
  if (reduce?.reducer !== "sum" || body.kind !== "binary" || body.op !== "mul") return null;
  const factors = [narrowed(body.left), narrowed(body.right)] as const;
  if (!factors[0] || !factors[1]) return null;
  const [left, right] = alike(factors[0], factors[1]);
  const [inLeft, inRight] = [namesIn(left), namesIn(right)];
  const only = (mine: ReadonlySet<string>, others: ReadonlySet<string>): readonly Axis[] =>
    axes.filter(({ name }) => mine.has(name) && !others.has(name));
  const batch = axes.filter(({ name }) => inLeft.has(name) && inRight.has(name));
  const [rows, columns] = [only(inLeft, inRight), only(inRight, inLeft)];
  // An axis of one element may be neither's.
  const moving = axes.filter(({ extent }) => extent > 1);
  if (moving.some(({ name }) => !inLeft.has(name) && !inRight.has(name))) return null;
  const depth = reduce.axes;
  if (depth.some(({ name }) => !inLeft.has(name) && !inRight.has(name))) return null;
  const isTurned = rows.includes(axes.at(-1)!);
  return isTurned
    ? { stage, batch, rows: columns, columns: rows, depth, left: right, right: left }
    : { stage, batch, rows, columns, depth, left, right };
}

/** Returns the narrow number that a factor widens, or the choice of such a number and 0. Null: the factor is neither. */
function narrowed(expr: ScalarExpr): ScalarExpr | null {
  if (expr.kind === "cast") return narrowTypes.has(expr.operand.dtype) ? expr.operand : null;
  if (expr.kind !== "select" || expr.else.kind !== "const" || expr.else.value !== 0) return null;
  const then = narrowed(expr.then);
  return then && selectOf(expr.condition, then, { ...expr.else, dtype: then.dtype });
}

/** Returns the factors, a byte beside a half as a half: f16 and bf16 hold every byte, so each product stays what it was. */
function alike(left: ScalarExpr, right: ScalarExpr): readonly [ScalarExpr, ScalarExpr] {
  const half = [left, right].find(({ dtype }) => byteSize[dtype] === 2);
  const widened = (factor: ScalarExpr): ScalarExpr =>
    half && byteSize[factor.dtype] === 1 ? castOf(half.dtype, factor) : factor;
  return [widened(left), widened(right)];
}

const namesIn = (expr: ScalarExpr): ReadonlySet<string> => new Set(axesIn(expr).map(({ name }) => name));
