// Scalar operators: operand code → result code. Integers narrower than i32 are brought back into their range after
// each operation that can leave it. Operands are all on the stack before a temporary is set, so they may use it too.

import type { UnaryOp } from "../../expr/scalar-expr.ts";
import type { IrBinaryOp, IrType } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, plain, set, type WasmInstruction } from "./instruction.ts";
import { isOpName } from "./opcodes.ts";
import { callRunTime } from "./run-time-functions.ts";
import { isFloatType, isHalf, scalarType } from "./value-type.ts";

/** The instruction of a name that was put together from parts and has to exist. */
export function named(name: string): WasmInstruction {
  invariant(isOpName(name), `WASM has no ${name}`);
  return plain(name);
}

/** Brings an i32 that holds a narrow integer back into the range of its type. */
export function wrap(dtype: IrType): Code {
  if (dtype === "i8") return [plain("i32.extend8_s")];
  if (dtype === "i16") return [plain("i32.extend16_s")];
  return dtype === "u8" ? [i32(0xff), plain("i32.and")] : [];
}

/** The names that the float operators have in WASM, for scalars and vectors. */
export const floatUnary: Readonly<Partial<Record<UnaryOp, string>>> = {
  neg: "neg",
  abs: "abs",
  floor: "floor",
  ceil: "ceil",
  round: "nearest",
  sqrt: "sqrt",
};

export function unaryCode(context: Context, op: UnaryOp, dtype: IrType, operand: Code): Code {
  const type = scalarType[dtype];
  if (op === "not") return [...operand, plain("i32.eqz")];
  if (isFloatType(dtype)) {
    if (op === "rsqrt") return reciprocalRoot(dtype, operand);
    const name = floatUnary[op];
    invariant(name, `${op} should have been expanded before code is generated`);
    return [...operand, named(`${type}.${name}`)];
  }
  invariant((op === "neg" || op === "abs") && !isHalf(dtype), `no ${op} of ${dtype}`);
  if (op === "neg") return [number(dtype, 0), ...operand, named(`${type}.sub`), ...wrap(dtype)];
  return context.locals.with(type, (value) => [
    ...[...operand, set(value), number(dtype, 0), get(value), named(`${type}.sub`), ...wrap(dtype)],
    ...[get(value), get(value), number(dtype, 0), named(`${type}.lt_s`), plain("select")],
  ]);
}

/** 1 / √x, rounded once: in f64 for an f32. */
function reciprocalRoot(dtype: "f32" | "f64", operand: Code): Code {
  const root = (value: Code): Code => [number("f64", 1), ...value, plain("f64.sqrt"), plain("f64.div")];
  return dtype === "f64" ? root(operand) : [...root([...operand, plain("f64.promote_f32")]), plain("f32.demote_f64")];
}

const number = (dtype: IrType, value: number): WasmInstruction => ({ kind: "number", type: scalarType[dtype], value });

/** `dtype` is that of the operands. */
export function binaryCode(context: Context, op: IrBinaryOp, dtype: IrType, left: Code, right: Code): Code {
  invariant(!isHalf(dtype), `${op} of ${dtype}, which is for storage only`);
  switch (op) {
    case "add":
    case "sub":
    case "mul":
      return [...left, ...right, named(`${scalarType[dtype]}.${op}`), ...wrap(dtype)];
    case "div":
      return [...left, ...right, named(`${scalarType[dtype]}.div`)];
    case "floorDiv":
    case "mod":
      invariant(scalarType[dtype] === "i32", `no ${op} of ${dtype}`);
      return [...left, ...right, ...callRunTime(context.runTime, op), ...wrap(dtype)];
    case "min":
    case "max":
      return minMax(context, op, dtype, left, right);
    case "eq":
    case "ne":
      return [...left, ...right, named(`${scalarType[dtype]}.${op}`)];
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return [...left, ...right, comparison(op, dtype)];
    case "and":
    case "or":
      return [...left, ...right, plain(`i32.${op}`)];
    case "bitAnd":
    case "bitOr":
    case "bitXor":
    case "shl":
    case "shr":
      return [...left, ...right, named(`${scalarType[dtype]}.${bitOps[op]}`)];
    case "pow":
      invariant(false, "pow should have been expanded before code is generated");
  }
}

const bitOps = { bitAnd: "and", bitOr: "or", bitXor: "xor", shl: "shl", shr: "shr_s" } as const;

const comparison = (op: "lt" | "le" | "gt" | "ge", dtype: IrType): WasmInstruction =>
  named(`${scalarType[dtype]}.${op}${isFloatType(dtype) ? "" : "_s"}`);

/** min(a, b) = b < a ? b : a, max(a, b) = a < b ? b : a; WASM's own min and max treat NaN and −0 otherwise. */
function minMax(context: Context, op: "min" | "max", dtype: IrType, left: Code, right: Code): Code {
  const { locals } = context;
  const type = scalarType[dtype];
  return locals.with(type, (a) =>
    locals.with(type, (b) => [
      ...[...left, ...right, set(b), set(a), get(b), get(a), get(b), get(a)],
      ...[comparison(op === "min" ? "lt" : "gt", dtype), plain("select")],
    ]),
  );
}

/** floorDiv or mod of an i32, or of a narrower integer as it is held, by a positive constant. Negative values go through their complement: ⌊a/c⌋ = ~⌊~a/c⌋. */
export function constantDivision(
  context: Context,
  op: "floorDiv" | "mod",
  value: Code,
  divisor: number,
  isNatural: boolean,
): Code {
  const exponent = Math.log2(divisor);
  if (Number.isInteger(exponent)) {
    if (op === "mod") return [...value, i32(divisor - 1), plain("i32.and")];
    return [...value, i32(exponent), plain("i32.shr_s")];
  }
  const divide = [i32(divisor), plain(op === "mod" ? "i32.rem_u" : "i32.div_u")];
  if (isNatural) return [...value, ...divide];
  return context.locals.with("i32", (a) => {
    const sign = [get(a), i32(31), plain("i32.shr_s")];
    const flipped = [...value, set(a), get(a), ...sign, plain("i32.xor"), ...divide, ...sign, plain("i32.xor")];
    return op === "floorDiv" ? flipped : [...flipped, ...sign, i32(divisor), plain("i32.and"), plain("i32.add")];
  });
}
