// Says whether an operator, on small integer inputs, is computed without any rounding, so that all orders of summation
// give the same bits: interval arithmetic on multiples of a power of two.

import {
  type ComputeDef,
  computeType,
  type DType,
  foldScalar,
  integerRange,
  isFloat,
  type ScalarExpr,
  type Stage,
} from "../../compiler/index.ts";

/** Values that are multiples of 2^-fraction and at most `max` in size; null: rounding happens, or may. */
type Exact = { readonly max: number; readonly fraction: number } | null;
type Tensors = ReadonlyMap<string, Exact>;

/** Bits of the significand. */
const precision = { f64: 53, f32: 24 } as const;

/** Input sizes to try, from the one that tells most values apart. */
const limits = [8, 4, 2, 1] as const;

/**
 * The largest L such that with inputs in -L..L every result is exact by all algorithms, or null. 512 products of two 8s
 * make 2^15, so an f32 GEMM of that depth is exact; softmax never is.
 */
export const exactInputLimit = (algorithms: readonly ComputeDef[]): number | null =>
  limits.find((limit) =>
    algorithms.every((op) => {
      const tensors = exactTensors(op, limit);
      return op.outputs.every((name) => tensors.get(name));
    }),
  ) ?? null;

/**
 * Says whether results stay exact by all algorithms where inputs of i8, u8 and i16 have any values of their types, and others small ones. Not
 * where 16-bit floats are stored, which may not reach the sums.
 */
export const isExactOnAllShorts = (algorithms: readonly ComputeDef[]): boolean =>
  algorithms.every((op) => {
    const tensors = exactTensors(op, limits[0], largestShort);
    const isHalf = op.stages.some(({ dtype }) => dtype === "f16" || dtype === "bf16");
    return !isHalf && op.outputs.every((name) => tensors.get(name));
  });

const largestShort: Readonly<Partial<Record<DType, number>>> = { u8: 255, i8: 128, i16: 32768 };

function exactTensors(op: ComputeDef, limit: number, ofType: Partial<Record<DType, number>> = {}): Tensors {
  const tensors = new Map<string, Exact>();
  for (const { name, dtype } of op.inputs) {
    const max = dtype === "bool" ? 1 : (ofType[dtype] ?? limit);
    tensors.set(name, { max, fraction: 0 });
  }
  for (const stage of op.stages) tensors.set(stage.name, fits(exactStage(stage, tensors), stage.dtype));
  return tensors;
}

function exactStage({ body, reduce, dtype }: Stage, tensors: Tensors): Exact {
  const element = exactExpr(body, tensors);
  if (!element || !reduce) return element;
  const length = reduce.axes.reduce((product, { extent }) => product * extent, 1);
  if (reduce.reducer === "sum") return fits({ ...element, max: element.max * length }, dtype);
  if (reduce.reducer === "prod")
    return fits({ max: element.max ** length, fraction: element.fraction * length }, dtype);
  return element;
}

/**
 * Returns the value as a dtype stores it; null if not exactly. Integers wrap, which is exact; floats have to hold all bits. f16
 * and bf16 round once, when stored.
 */
function fits(value: Exact, dtype: DType): Exact {
  if (!value) return null;
  if (!isFloat(dtype))
    return { max: Math.min(value.max, -integerRange[dtype as keyof typeof integerRange][0] || 255), fraction: 0 };
  const bits = computeType(dtype) === "f64" ? precision.f64 : precision.f32;
  const stored = computeType(dtype) === dtype ? value.max : value.max * 1.01;
  return stored * 2 ** value.fraction <= 2 ** bits ? { ...value, max: stored } : null;
}

const exactExpr = (expr: ScalarExpr, tensors: Tensors): Exact =>
  foldScalar<Exact>(expr, (node, of) => {
    const value = exactNode(node, of, tensors);
    return fits(value && wrapsBelow(node) ? { max: Number.POSITIVE_INFINITY, fraction: 0 } : value, node.dtype);
  });

/** Says whether a value may fall below 0 in a type without negative values: it then wraps, perhaps up to the type's largest. */
function wrapsBelow(node: ScalarExpr): boolean {
  if (node.dtype !== "u8") return false;
  if (node.kind === "cast") return node.operand.dtype !== "u8" && node.operand.dtype !== "bool";
  return (node.kind === "unary" && node.op === "neg") || (node.kind === "binary" && node.op === "sub");
}

function exactNode(expr: ScalarExpr, exact: (operand: ScalarExpr) => Exact, tensors: Tensors): Exact {
  switch (expr.kind) {
    case "const":
      return constant(expr.value);
    case "axis":
      return { max: 2 ** 20, fraction: 0 };
    case "read":
      return tensors.get(expr.tensor) ?? null;
    case "unary":
      return exactUnary(expr.op, exact(expr.operand));
    case "binary":
      return exactBinary(expr, exact(expr.left), exact(expr.right));
    case "select":
      return exact(expr.condition) && either(exact(expr.then), exact(expr.else));
    case "cast":
      return exact(expr.operand);
  }
}

/** Infinities begin a max or min and never meet arithmetic that an author means. */
function constant(value: number): Exact {
  if (!Number.isFinite(value)) return { max: 0, fraction: 0 };
  for (let fraction = 0; fraction <= 24; fraction++)
    if (Number.isInteger(value * 2 ** fraction)) return { max: Math.abs(value), fraction };
  return null;
}

const either = (left: Exact, right: Exact): Exact =>
  left && right && { max: Math.max(left.max, right.max), fraction: Math.max(left.fraction, right.fraction) };

function exactUnary(op: Extract<ScalarExpr, { kind: "unary" }>["op"], operand: Exact): Exact {
  if (op === "neg" || op === "abs" || op === "not") return operand;
  return (op === "floor" || op === "ceil" || op === "round") && operand ? { max: operand.max + 1, fraction: 0 } : null;
}

function exactBinary(expr: Extract<ScalarExpr, { kind: "binary" }>, left: Exact, right: Exact): Exact {
  if (!left || !right) return null;
  const fraction = Math.max(left.fraction, right.fraction);
  switch (expr.op) {
    case "add":
    case "sub":
      return { max: left.max + right.max, fraction };
    case "mul":
      return { max: left.max * right.max, fraction: left.fraction + right.fraction };
    case "min":
    case "max":
      return either(left, right);
    case "floorDiv":
    case "mod":
      return either(left, right);
    case "div":
    case "pow":
      return null;
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
    case "and":
    case "or":
      return { max: 1, fraction: 0 };
  }
}
