// Operators and casts on printed operands → WGSL text, in parentheses. Operands are scalars or short vectors, which the language
// computes with alike; on a narrow type the result is brought back into it.

import { isFloat } from "../../expr/dtype.ts";
import type { UnaryOp } from "../../expr/scalar-expr.ts";
import { integerRange } from "../../expr/scalar-math.ts";
import type { IrBinaryOp, IrType } from "../../ir/loop-ir.ts";
import { isPowerOfTwo } from "../../support/integer-math.ts";
import { cannotRun } from "../cannot.ts";
import { operatorSigns } from "../operator-signs.ts";
import { type ScalarType, scalarType, vectorOf } from "./elements.ts";
import type { HelperName } from "./run-time.ts";

export interface Arithmetic {
  readonly lanes: number;
  /** Notes that a helper is needed and gives its name. */
  readonly use: (helper: HelperName) => string;
}

type ScalarHelper = Extract<HelperName, `${string}_${"f32" | "i32" | "bits" | "f16" | "bf16"}`>;

/** A call of a helper, for all lanes. */
export function call(helper: ScalarHelper, { lanes, use }: Arithmetic, ...operands: readonly string[]): string {
  const name = lanes === 1 ? helper : (`${helper}_x${lanes}` as HelperName);
  return `${use(name)}(${operands.join(", ")})`;
}

/** A scalar in all lanes. */
const all = (type: string, value: string, { lanes }: Arithmetic): string =>
  lanes === 1 ? value : `${vectorOf(type, lanes)}(${value})`;

export function unaryText(op: UnaryOp, dtype: IrType, x: string, arithmetic: Arithmetic): string {
  const type = scalarType(dtype);
  if (type === "bool") return op === "not" ? `(!${x})` : x;
  return fitted(dtype, plainUnary(op, type, x, arithmetic), arithmetic);
}

function plainUnary(op: UnaryOp, type: ScalarType, x: string, arithmetic: Arithmetic): string {
  const one = all(type, type === "f32" ? "1.0f" : "1", arithmetic);
  switch (op) {
    case "neg":
      return `(-${x})`;
    case "not":
      return `(${one} - ${x})`;
    case "rsqrt":
      return `(${one} / sqrt(${x}))`;
    case "abs":
      return `abs(${x})`;
    case "floor":
    case "ceil":
    case "round":
    case "sqrt":
      return type === "f32" ? `${op}(${x})` : unknown(op);
    case "exp":
    case "log":
    case "tanh":
    case "erf":
    case "sigmoid":
      return type === "f32" ? call(`uk_${op}_f32`, arithmetic, x) : unknown(op);
  }
}

const unknown = (op: string): never => {
  throw cannotRun("wgsl", `there is no code for ${op}`, "compute it in f32");
};

const comparisons: readonly IrBinaryOp[] = ["eq", "ne", "lt", "le", "gt", "ge"];

export interface BinaryFacts {
  readonly op: IrBinaryOp;
  /** Type of the operands, and of the result. */
  readonly from: IrType;
  readonly dtype: IrType;
  /** The right operand in all lanes, where it is a constant. */
  readonly right: number | null;
  /** Whether the left operand is never below zero. */
  readonly isNatural: boolean;
}

export function binaryText(facts: BinaryFacts, a: string, b: string, arithmetic: Arithmetic): string {
  const { op, from, dtype } = facts;
  if (scalarType(from) === "bool") return onBools(facts, a, b, arithmetic);
  const text = isFloat(from as never) ? onFloats(op, a, b, arithmetic) : onIntegers(facts, a, b, arithmetic);
  return comparisons.includes(op) ? text : fitted(dtype, text, arithmetic);
}

function onBools(facts: BinaryFacts, a: string, b: string, arithmetic: Arithmetic): string {
  const { op } = facts;
  if (op === "eq" || op === "ne") return `(${a} ${operatorSigns[op]} ${b})`;
  if (op === "and" || op === "min" || op === "mul") return `(${a} & ${b})`;
  if (op === "or" || op === "max" || op === "add") return `(${a} | ${b})`;
  const type = vectorOf("u32", arithmetic.lanes);
  if (comparisons.includes(op)) return `(${type}(${a}) ${operatorSigns[op]} ${type}(${b}))`;
  return op === "sub" ? `(${a} != ${b})` : unknown(`${op} of bools`);
}

function onFloats(op: IrBinaryOp, a: string, b: string, arithmetic: Arithmetic): string {
  switch (op) {
    case "min":
      return call("uk_min_f32", arithmetic, a, b);
    case "max":
      return call("uk_max_f32", arithmetic, a, b);
    case "pow":
      return call("uk_pow_f32", arithmetic, a, b);
    case "ne":
      // A NaN is unequal to all, which compilers make of an equality alone.
      return `(!(${a} == ${b}))`;
    default:
      return `(${a} ${operatorSigns[op] ?? unknown(op)} ${b})`;
  }
}

function onIntegers(facts: BinaryFacts, a: string, b: string, arithmetic: Arithmetic): string {
  const { op, right } = facts;
  const type = vectorOf("u32", arithmetic.lanes);
  switch (op) {
    case "min":
    case "max":
      return `${op}(${a}, ${b})`;
    case "shl":
    case "shr": {
      const sign = op === "shl" ? "<<" : ">>";
      const steps = right === null ? `(${type}(${b}) & ${all("u32", "31u", arithmetic)})` : null;
      return `(${a} ${sign} ${steps ?? all("u32", `${right! & 31}u`, arithmetic)})`;
    }
    case "div":
      return right ? `(${a} / ${b})` : call("uk_div_i32", arithmetic, a, b);
    case "floorDiv":
    case "mod":
      return roundedDown(facts, a, b, arithmetic);
    default:
      return `(${a} ${operatorSigns[op] ?? unknown(op)} ${b})`;
  }
}

function roundedDown({ op, right, isNatural }: BinaryFacts, a: string, b: string, arithmetic: Arithmetic): string {
  const isMod = op === "mod";
  // Shifts round down, and a mask leaves what is over.
  if (right !== null && isPowerOfTwo(right)) {
    if (isMod) return `(${a} & ${all("i32", String(right - 1), arithmetic)})`;
    return `(${a} >> ${all("u32", `${Math.log2(right)}u`, arithmetic)})`;
  }
  if (isNatural && right !== null && right > 0) return `(${a} ${isMod ? "%" : "/"} ${b})`;
  return call(isMod ? "uk_floor_mod_i32" : "uk_floor_div_i32", arithmetic, a, b);
}

/** Brings a result into its type. */
export function fitted(dtype: IrType, text: string, arithmetic: Arithmetic): string {
  switch (dtype) {
    case "f16":
      return call("uk_round_f16", arithmetic, text);
    case "bf16":
      return call("uk_round_bf16", arithmetic, text);
    case "i16":
      return `extractBits(${text}, 0u, 16u)`;
    case "i8":
      return `extractBits(${text}, 0u, 8u)`;
    case "u8":
      return `(${text} & ${all("i32", "255", arithmetic)})`;
    default:
      return text;
  }
}

export function castText(from: IrType, to: IrType, x: string, arithmetic: Arithmetic): string {
  if (from === to) return x;
  const [source, target] = [scalarType(from), scalarType(to)];
  if (target === "bool") return toBool(source, x, arithmetic);
  if (source === "f32" && target === "i32") return saturated(to, call("uk_f32_to_i32", arithmetic, x), arithmetic);
  if (from === "i32" && to === "bf16") return call("uk_i32_to_bf16", arithmetic, x);
  const value = source === target ? x : `${vectorOf(target, arithmetic.lanes)}(${x})`;
  return isWithin(from, to) ? value : fitted(to, value, arithmetic);
}

function toBool(source: ScalarType, x: string, arithmetic: Arithmetic): string {
  if (source === "bool") return x;
  if (source === "f32") return onFloats("ne", x, all("f32", "0.0f", arithmetic), arithmetic);
  return `(${x} != ${all("i32", "0", arithmetic)})`;
}

/** Whether all values of a type are values of another. */
const isWithin = (from: IrType, to: IrType): boolean =>
  from === "bool" || ((from === "i8" || from === "u8") && to === "i16");

/** Float → integer: a narrow type stops at its own limits. */
function saturated(to: IrType, whole: string, arithmetic: Arithmetic): string {
  if (to === "i32") return whole;
  const [least, most] = integerRange[to as keyof typeof integerRange];
  return `clamp(${whole}, ${all("i32", String(least), arithmetic)}, ${all("i32", String(most), arithmetic)})`;
}
