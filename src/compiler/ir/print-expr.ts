// Loop-IR expression → text: infix with as few parentheses as the precedences of C allow, functions by name. Constants
// of i32 and f32 are bare (0, 0.0); those of other types carry it (0.5f64, 3i8).

import { isFloat } from "../expr/dtype.ts";
import { invariant } from "../support/invariant.ts";
import type { Binary, Const, Expr, IrBinaryOp, Load, Unary } from "./loop-ir.ts";

interface Infix {
  readonly text: string;
  /** Higher binds tighter. */
  readonly level: number;
}

const infix: Partial<Record<IrBinaryOp, Infix>> = {
  mul: { text: "*", level: 9 },
  div: { text: "/", level: 9 },
  floorDiv: { text: "//", level: 9 },
  mod: { text: "%", level: 9 },
  add: { text: "+", level: 8 },
  sub: { text: "-", level: 8 },
  shl: { text: "<<", level: 7 },
  shr: { text: ">>", level: 7 },
  bitAnd: { text: "&", level: 6 },
  bitXor: { text: "^", level: 5 },
  bitOr: { text: "|", level: 4 },
  eq: { text: "==", level: 3 },
  ne: { text: "!=", level: 3 },
  lt: { text: "<", level: 3 },
  le: { text: "<=", level: 3 },
  gt: { text: ">", level: 3 },
  ge: { text: ">=", level: 3 },
  and: { text: "&&", level: 2 },
  or: { text: "||", level: 1 },
};

const prefixLevel = 10;

export const printExpr = (expr: Expr): string => print(expr, 0);

/** In parentheses if `expr` binds less tightly than `level`. */
function print(expr: Expr, level: number): string {
  switch (expr.kind) {
    case "const":
      return printConst(expr);
    case "var":
    case "local":
      return expr.name;
    case "load":
      return printLoad(expr);
    case "unary":
      return printUnary(expr);
    case "binary":
      return printBinary(expr, level);
    case "select":
      return call("select", [expr.condition, expr.then, expr.else]);
    case "cast":
      return call(expr.dtype, [expr.operand]);
    case "bitcast":
      return call(`bits.${expr.dtype}`, [expr.operand]);
    case "ramp":
      return `ramp(${print(expr.base, 0)}, ${expr.stride}, ${expr.lanes})`;
    case "broadcast":
      return `broadcast(${print(expr.value, 0)}, ${expr.lanes})`;
    case "lanes":
      return call("lanes", expr.elements);
    case "interleave":
      return call("interleave", expr.parts);
    case "intrinsic":
      return call(expr.name, expr.operands);
  }
}

const call = (name: string, args: readonly Expr[]): string => `${name}(${args.map(printExpr).join(", ")})`;

function printLoad({ buffer, indices, active }: Load): string {
  return `${buffer}[${indices.map(printExpr).join(", ")}${active ? `; ${printExpr(active)} lanes` : ""}]`;
}

function printUnary({ op, operand }: Unary): string {
  if (op !== "neg" && op !== "not") return call(op, [operand]);
  // A minus before a number would read as a negative constant.
  const text = operand.kind === "const" ? `(${print(operand, 0)})` : print(operand, prefixLevel);
  return op === "neg" ? `-${text}` : `!${text}`;
}

function printBinary({ op, left, right }: Binary, level: number): string {
  const found = infix[op];
  if (!found) return call(op, [left, right]);
  const text = `${print(left, found.level)} ${found.text} ${print(right, found.level + 1)}`;
  return found.level < level ? `(${text})` : text;
}

function printConst({ dtype, value }: Const): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  if (dtype === "i32") return String(value);
  if (dtype === "i64" || !isFloat(dtype)) return `${value}${dtype}`;
  const suffix = dtype === "f32" ? "" : dtype;
  return `${printFloat(value)}${suffix}`;
}

function printFloat(value: number): string {
  invariant(typeof value === "number", "a constant holds a number");
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
