// Loop-IR expression, in one lane → CUDA C text, in parentheses where it matters.

import { isBounded } from "../../../affine/interval.ts";
import { isFloat, isInteger } from "../../../expr/dtype.ts";
import { toBf16Bits, toF16Bits } from "../../../expr/float16.ts";
import { integerRange } from "../../../expr/scalar-math.ts";
import { boundsOf } from "../../../ir/bounds.ts";
import { isLaneActive, lanesOf } from "../../../ir/lanes.ts";
import type { Binary, Cast, Expr, IrBinaryOp, IrType, Load, Select, Unary } from "../../../ir/loop-ir.ts";
import type { Ranges } from "../../../ir/ranges.ts";
import { isPowerOfTwo } from "../../../support/integer-math.ts";
import { cannotRun } from "../../cannot.ts";
import { operatorSigns } from "../../operator-signs.ts";
import { isHalf } from "../plan/elements.ts";
import { type Lane, type LaneNumber, laneAt, laneWithin } from "../plan/lane.ts";
import type { HelperName } from "./run-time.ts";
import { cudaType } from "./types.ts";

export interface CudaContext {
  readonly names: (irName: string) => string;
  /** Notes that a helper is needed and gives its name. */
  readonly use: (helper: HelperName) => string;
  /** Place of an element in a buffer, by its index: not all lie as they are counted. */
  readonly place: (buffer: string, index: string) => string;
  /** Whether i32 arithmetic may overflow; indices lie in buffers, so theirs never does. */
  readonly wraps: boolean;
  /** Values of loops, threads and locals, as far as they are known. */
  readonly ranges: Ranges;
  /** Threads of a warp, a bit for each. */
  readonly warp: string;
  /** Vectors that a statement has loaded as a whole, by the load. */
  readonly loaded: ReadonlyMap<Expr, string>;
  /** Elements of runs that statements have loaded together, by the scalar loads that they stand for. */
  readonly elements: ReadonlyMap<Expr, string>;
}

/** @param lane null for a scalar */
export function cudaExpr(expr: Expr, lane: Lane | null, context: CudaContext): string {
  const on = (operand: Expr): string => cudaExpr(operand, lanesOf(operand) === 1 ? null : lane, context);
  switch (expr.kind) {
    case "const":
      return cudaConst(expr.dtype, expr.value);
    case "var":
      return context.names(expr.name);
    case "local":
      return lane && expr.lanes > 1 ? `${context.names(expr.name)}[${lane.register}]` : context.names(expr.name);
    case "load":
      return cudaLoad(expr, lane, context);
    case "unary":
      return cudaUnary(expr, on(expr.operand), context);
    case "binary":
      return divisionOf(expr, on, context) ?? cudaBinary(expr, on(expr.left), on(expr.right), context);
    case "select":
      return cudaSelect(expr, on);
    case "cast":
      return cudaCast(expr, on(expr.operand), context);
    case "bitcast":
      return `${bitcasts[expr.operand.dtype]}(${on(expr.operand)})`;
    case "shuffle":
      return `__shfl_xor_sync(${context.warp}, ${on(expr.operand)}, ${expr.mask})`;
    case "ramp":
      return rampAt(expr.base, expr.stride, lane!, context);
    case "broadcast":
      return broadcastAt(expr.value, lane!, context);
    case "lanes":
      return cudaExpr(expr.elements[placeIn(expr, lane!)]!, null, context);
    case "interleave": {
      const at = placeIn(expr, lane!);
      return cudaExpr(expr.parts[at % expr.parts.length]!, laneAt(Math.floor(at / expr.parts.length)), context);
    }
    case "pick": {
      const pick = expr.picks[placeIn(expr, lane!)]!;
      const width = lanesOf(expr.parts[0]!);
      const part = expr.parts[Math.floor(pick / width)]!;
      return cudaExpr(part, laneAt(pick % width), context);
    }
    case "fold":
    case "intrinsic":
      throw cannotRun("cuda", `there is no code for ${expr.kind}`, "this schedule does not fit the machine");
  }
}

/** Number of the element of a short vector that a lane has. A tile is held by the lanes of a warp, which have no numbers in its code. */
function placeIn(expr: Expr, lane: Lane): number {
  const at = lane.within(lanesOf(expr));
  if (at.kind === "known") return at.value;
  throw cannotRun("cuda", `there is no code for ${expr.kind} in a tile`, "this schedule does not fit the machine");
}

/** Names of the variables with the row and column of a lane's first element. */
export const laneRow = "uk_row";
export const laneColumn = "uk_column";

function laneText(number: LaneNumber): string {
  if (number.kind === "known") return String(number.value);
  if (number.kind === "row") return `(${laneRow} + ${number.plus})`;
  if (number.kind === "column") return `(${laneColumn} + ${number.plus})`;
  return `((${laneRow} + ${number.row}) * ${number.columns} + (${laneColumn} + ${number.column}))`;
}

const bitcasts: Partial<Record<IrType, string>> = {
  f32: "__float_as_int",
  i32: "__int_as_float",
  f64: "__double_as_longlong",
  i64: "__longlong_as_double",
};

function rampAt(base: Expr, stride: number, lane: Lane, context: CudaContext): string {
  const lanes = lanesOf(base);
  if (lanes === 1) return sum(cudaExpr(base, null, context), laneText(lane.within(Number.MAX_SAFE_INTEGER)), stride);
  return sum(cudaExpr(base, laneWithin(lane, lanes), context), laneText(lane.over(lanes)), stride);
}

const sum = (base: string, steps: string, stride: number): string =>
  stride === 0 || steps === "0" ? base : `(${base} + ${stride === 1 ? steps : `${steps} * ${stride}`})`;

function broadcastAt(value: Expr, lane: Lane, context: CudaContext): string {
  const lanes = lanesOf(value);
  return cudaExpr(value, lanes === 1 ? null : laneWithin(lane, lanes), context);
}

export function cudaConst(dtype: IrType, value: number): string {
  if (dtype === "f16") return `(unsigned short)${toF16Bits(value)}`;
  if (dtype === "bf16") return `(unsigned short)${toBf16Bits(value)}`;
  if (dtype === "i64") return `${value}ll`;
  if (dtype === "f32" || dtype === "f64") return floatConst(dtype, value);
  return value < 0 ? (value === -(2 ** 31) ? "(-2147483647 - 1)" : `(${value})`) : String(value);
}

function floatConst(dtype: "f32" | "f64", value: number): string {
  const isWide = dtype === "f64";
  if (Number.isNaN(value)) return isWide ? "__longlong_as_double(0x7ff8000000000000ll)" : "__int_as_float(0x7fc00000)";
  if (!Number.isFinite(value)) {
    const infinity = isWide ? "__longlong_as_double(0x7ff0000000000000ll)" : "__int_as_float(0x7f800000)";
    return value > 0 ? infinity : `(-${infinity})`;
  }
  const text = Object.is(value, -0) ? "-0.0" : /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
  return `(${text}${isWide ? "" : "f"})`;
}

export const cudaIndex = (index: Expr, lane: Lane | null, context: CudaContext): string =>
  cudaExpr(index, lanesOf(index) === 1 ? null : lane, { ...context, wraps: false });

function cudaLoad(load: Load, lane: Lane | null, context: CudaContext): string {
  const own = context.elements.get(load);
  if (own !== undefined) return own;
  const known = context.loaded.get(load);
  if (known !== undefined && lane) return `${known}[${lane.register}]`;
  const element = `${context.names(load.buffer)}[${context.place(load.buffer, cudaIndex(load.indices[0]!, lane, context))}]`;
  const at = lane?.register ?? 0;
  if (isLaneActive(load.active, at)) return element;
  return `(${cudaIndex(load.active!, null, context)} > ${at} ? ${element} : ${cudaConst(load.dtype, 0)})`;
}

function cudaUnary({ op, dtype }: Unary, x: string, context: CudaContext): string {
  if (isHalf(dtype)) return toHalf(dtype, unaryOn("f32", op, fromHalf(dtype, x, context)), context);
  return wrapped(dtype, unaryOn(dtype, op, x));
}

function unaryOn(dtype: IrType, op: Unary["op"], x: string): string {
  const suffix = dtype === "f64" ? "" : "f";
  switch (op) {
    case "neg":
      return `(-${x})`;
    case "not":
      return `(!${x})`;
    case "abs":
      return isFloat(dtype as never) ? `fabs${suffix}(${x})` : `(${x} < 0 ? -${x} : ${x})`;
    case "floor":
    case "ceil":
    case "sqrt":
      return `${op}${suffix}(${x})`;
    case "round":
      return `rint${suffix}(${x})`;
    case "rsqrt":
      return `(1 / sqrt${suffix}(${x}))`;
    default:
      throw cannotRun("cuda", `there is no code for ${op}`, "functions are expanded before");
  }
}

const infix: Partial<Record<IrBinaryOp, string>> = {
  ...operatorSigns,
  shl: "<<",
  shr: ">>",
  and: "&&",
  or: "||",
};

/** A division that rounds down, of a number that is never negative: without a sign it takes fewer instructions. Null: it may be negative. */
function divisionOf({ op, left, right }: Binary, on: (expr: Expr) => string, { ranges }: CudaContext): string | null {
  if ((op !== "floorDiv" && op !== "mod") || left.dtype !== "i32" || lanesOf(left) > 1) return null;
  if (right.kind !== "const" || right.value < 1 || isPowerOfTwo(right.value)) return null;
  const bounds = boundsOf(left, ranges);
  return isBounded(bounds) && bounds.min >= 0
    ? `(int)((unsigned)${on(left)} ${op === "mod" ? "%" : "/"} ${right.value}u)`
    : null;
}

function cudaBinary({ op, left, dtype }: Binary, a: string, b: string, context: CudaContext): string {
  const from = left.dtype;
  if (!isHalf(from)) return wrapped(dtype, binaryOn(from, op, a, b, context));
  const value = binaryOn("f32", op, fromHalf(from, a, context), fromHalf(from, b, context), context);
  return isHalf(dtype) ? toHalf(dtype, value, context) : value;
}

function binaryOn(dtype: IrType, op: IrBinaryOp, a: string, b: string, { use, wraps }: CudaContext): string {
  const type = cudaType[dtype];
  if (op === "min" || op === "max") return `${use(`uk_${op}`)}<${type}>(${a}, ${b})`;
  if (op === "floorDiv" || op === "mod") {
    if (isFloat(dtype as never)) {
      const floor = `floor${dtype === "f64" ? "" : "f"}(${a} / ${b})`;
      return op === "mod" ? `(${a} - ${floor} * ${b})` : floor;
    }
    // Shifts round down, as `floorDiv` does, and a mask leaves what is over.
    if (isPowerOfTwo(Number(b)))
      return op === "mod" ? `(${a} & ${Number(b) - 1})` : `(${a} >> ${Math.log2(Number(b))})`;
    return `${use(op === "mod" ? "uk_floor_mod" : "uk_floor_div")}<${type}>(${a}, ${b})`;
  }
  const sign = infix[op];
  if (sign === undefined) throw cannotRun("cuda", `there is no code for ${op}`, "functions are expanded before");
  // Signed overflow is undefined in C, and wraps in the loop IR.
  if (wraps && dtype === "i32" && (op === "mul" || op === "add" || op === "sub")) {
    return `(int)((unsigned)${a} ${sign} (unsigned)${b})`;
  }
  return `(${a} ${sign} ${b})`;
}

/** Brings a result into a type narrower than int. */
const wrapped = (dtype: IrType, text: string): string =>
  dtype === "i16" || dtype === "i8" || dtype === "u8" ? `(${cudaType[dtype]})${text}` : text;

function cudaSelect({ condition, then: yes, else: no }: Select, on: (expr: Expr) => string): string {
  return `(${on(condition)} ? ${on(yes)} : ${on(no)})`;
}

function fromHalf(dtype: "f16" | "bf16", x: string, { use }: CudaContext): string {
  return `${use(dtype === "f16" ? "uk_f16_to_f32" : "uk_bf16_to_f32")}(${x})`;
}

function toHalf(dtype: "f16" | "bf16", x: string, { use }: CudaContext): string {
  return `${use(dtype === "f16" ? "uk_f32_to_f16" : "uk_f32_to_bf16")}(${x})`;
}

function cudaCast({ dtype: to, operand }: Cast, x: string, context: CudaContext): string {
  const from = operand.dtype;
  if (from === to) return x;
  if (isHalf(from))
    return cudaCast(
      { kind: "cast", dtype: to, operand: { ...operand, dtype: "f32" } as Expr },
      fromHalf(from, x, context),
      context,
    );
  if (isHalf(to)) return toHalf(to, `(float)${x}`, context);
  if (to === "bool") return `(${x} != 0)`;
  if (isFloat(from as never) && isInteger(to as never)) return saturated(from, to, x, context);
  if (to === "i64" && isFloat(from as never))
    return `${context.use(from === "f64" ? "uk_f64_to_i64" : "uk_f32_to_i64")}(${x})`;
  return `(${cudaType[to]})${x}`;
}

/** Float → integer: the machine's conversion saturates, and gives 0 for NaN where neither type has 64 bits. */
function saturated(from: IrType, to: IrType, x: string, { use }: CudaContext): string {
  const whole = from === "f64" ? `${use("uk_f64_to_i32")}(${x})` : `__float2int_rz(${x})`;
  if (to === "i32") return whole;
  const [least, most] = integerRange[to as keyof typeof integerRange];
  return `(${cudaType[to]})${use("uk_max")}<int>(${least}, ${use("uk_min")}<int>(${most}, ${whole}))`;
}
