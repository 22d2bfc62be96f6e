// A scalar expression → code that pushes its value, held as value-type.ts says.

import type { Binary, Expr, IrType, Load, Select } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { addressOf, affineOf, integerCode, intervalOf } from "./address.ts";
import { scalarConst } from "./const-bits.ts";
import { bindingOf, type Context } from "./context.ts";
import { fold } from "./fold.ts";
import { type Code, get, i32, ifElse, plain, type WasmInstruction } from "./instruction.ts";
import type { OpName } from "./opcodes.ts";
import { scalar } from "./operand.ts";
import { binaryCode, constantDivision, unaryCode } from "./scalar-arithmetic.ts";
import { castCode } from "./scalar-cast.ts";
import { laneBytesOf, scalarType } from "./value-type.ts";

/** Writes any scalar; those who write one kind of expression call it as `scalar` of operand.ts. */
export function scalarCode(context: Context, expr: Expr): Code {
  switch (expr.kind) {
    case "const":
      return [{ kind: "number", type: scalarType[expr.dtype], value: scalarConst(expr.dtype, expr.value) }];
    case "var":
      return integerCode(context, affineOf(context, expr));
    case "local":
      return [get(bindingOf(context, expr.name).locals[0] ?? 0)];
    case "load":
      return loadScalar(context, expr);
    case "unary":
      return unaryCode(context, expr.op, expr.dtype, scalar(context, expr.operand));
    case "binary":
      return binary(context, expr);
    case "select":
      return select(context, expr);
    case "cast":
      return [...scalar(context, expr.operand), ...castCode(context, expr.operand.dtype, expr.dtype)];
    case "bitcast":
      return [...scalar(context, expr.operand), ...bitcast(expr.operand.dtype, expr.dtype)];
    case "fold":
      return fold(context, expr);
    case "shuffle":
    case "ramp":
    case "broadcast":
    case "lanes":
    case "interleave":
    case "pick":
    case "intrinsic":
      invariant(false, `a ${expr.kind} where a scalar is wanted`);
  }
}

/** The instruction that reads or writes one element of a type in memory. */
const loads: Readonly<Record<IrType, OpName>> = {
  f64: "f64.load",
  f32: "f32.load",
  f16: "i32.load16_u",
  bf16: "i32.load16_u",
  i64: "i64.load",
  i32: "i32.load",
  i16: "i32.load16_s",
  i8: "i32.load8_s",
  u8: "i32.load8_u",
  bool: "i32.load8_u",
};

const stores: Readonly<Record<IrType, OpName>> = {
  f64: "f64.store",
  f32: "f32.store",
  f16: "i32.store16",
  bf16: "i32.store16",
  i64: "i64.store",
  i32: "i32.store",
  i16: "i32.store16",
  i8: "i32.store8",
  u8: "i32.store8",
  bool: "i32.store8",
};

const access = (op: OpName, dtype: IrType, offset: number): WasmInstruction => ({
  kind: "memory",
  op,
  align: Math.log2(laneBytesOf(dtype)),
  offset,
  lane: null,
});

function loadScalar(context: Context, { buffer, indices, dtype, active }: Load): Code {
  const { base, offset } = addressOf(context, buffer, indices[0] ?? zero, 0);
  // Any byte but 0 is true.
  const truth: Code = dtype === "bool" ? [i32(0), plain("i32.ne")] : [];
  const code: Code = [...base, access(loads[dtype], dtype, offset), ...truth];
  if (!active) return code;
  const nothing: WasmInstruction = { kind: "number", type: scalarType[dtype], value: 0 };
  return [...scalar(context, active), i32(0), plain("i32.gt_s"), ...ifElse(scalarType[dtype], code, [nothing])];
}

const zero: Expr = { kind: "const", dtype: "i32", value: 0 };

/** `buffer[index] = value` for a scalar. */
export function storeScalar(context: Context, buffer: string, index: Expr, value: Expr): Code {
  const { base, offset } = addressOf(context, buffer, index, 0);
  const dtype = context.layout.buffers.get(buffer)?.dtype ?? value.dtype;
  return [...base, ...scalar(context, value), access(stores[dtype], dtype, offset)];
}

function binary(context: Context, expr: Binary): Code {
  const { op, dtype, left, right } = expr;
  if (context.hoisting && isSumOfVariables(context, expr)) return integerCode(context, affineOf(context, expr));
  const leftCode = scalar(context, left);
  if (right.kind === "const" && right.value > 0 && (op === "floorDiv" || op === "mod")) {
    const isNatural = dtype === "u8" || (dtype === "i32" && intervalOf(context, left).min >= 0);
    return constantDivision(context, op, leftCode, right.value, isNatural);
  }
  return binaryCode(context, op, left.dtype, leftCode, scalar(context, right));
}

/** An affine i32 expression that is more than one opaque term, so that emitting its terms makes progress. */
function isSumOfVariables(context: Context, expr: Binary): boolean {
  if (expr.dtype !== "i32" || !["add", "sub", "mul"].includes(expr.op)) return false;
  const { terms } = affineOf(context, expr);
  return terms.every(({ atom }) => atom.kind === "var");
}

function select(context: Context, { dtype, condition, then, else: otherwise }: Select): Code {
  const test = scalar(context, condition);
  const sides = [scalar(context, then), scalar(context, otherwise)] as const;
  if (isFree(then) && isFree(otherwise)) return [...sides[0], ...sides[1], ...test, plain("select")];
  return [...test, ...ifElse(scalarType[dtype], ...sides)];
}

/** Says whether a value costs nothing and cannot trap, so that both sides of a select may be evaluated. */
const isFree = ({ kind }: Expr): boolean => kind === "const" || kind === "var" || kind === "local";

export function bitcast(from: IrType, to: IrType): Code {
  const [source, target] = [scalarType[from], scalarType[to]];
  if (source === target) return [];
  const name = `${target}.reinterpret_${source}`;
  invariant(
    name === "i32.reinterpret_f32" ||
      name === "f32.reinterpret_i32" ||
      name === "i64.reinterpret_f64" ||
      name === "f64.reinterpret_i64",
    `no bitcast from ${from} to ${to}`,
  );
  return [plain(name)];
}
