// Binary operators → C text.

import type { Binary, IrBinaryOp } from "../../ir/loop-ir.ts";
import { InvariantError } from "../../support/invariant.ts";
import { operatorSigns } from "../operator-signs.ts";
import { constantDivisor, type DivisionOp, divideByConstant } from "./constant-division.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Element, elementBytes, maskElement, type Piece } from "./element.ts";
import { asMask, bitsToMask, maskToBits } from "./mask.ts";
import { floorDivision } from "./math-function.ts";
import { emit } from "./operand.ts";
import { onWords } from "./resize-lanes.ts";
import { extremum } from "./vector-function.ts";

export function emitBinary(context: Context, expr: Binary, piece: Piece): Value {
  const left = emit(context, expr.left, piece);
  const divisor = expr.op === "floorDiv" || expr.op === "mod" ? constantDivisor(expr.right) : null;
  if (divisor !== null) return divideByConstant(context.prelude, expr.op as DivisionOp, left, divisor, piece.lanes);
  const right = emit(context, expr.right, piece);
  if (expr.left.dtype === "bool" && piece.lanes > 1) return onMasks(context, expr.op, left, right, piece.lanes);
  return onValues(context, expr.op, left, right, piece.lanes);
}

/** The operator on two values of one type, none of them masks. */
export function onValues(
  context: Pick<Context, "prelude">,
  op: IrBinaryOp,
  left: Value,
  right: Value,
  lanes: number,
): Value {
  const { prelude } = context;
  const { element } = left;
  const call = (name: string): Value => ({ text: `${name}(${left.text}, ${right.text})`, element });
  const infix = `(${left.text} ${operatorSigns[op]} ${right.text})`;
  switch (op) {
    case "mul": {
      const both = [left.text, right.text];
      const product = onWords(prelude, both, element, lanes, (a, b) => `(${a} * ${b})`);
      return { text: lanes === 1 ? wrapped(product, element) : product, element };
    }
    case "add":
    case "sub":
    case "div":
    case "bitAnd":
    case "bitOr":
    case "bitXor":
      return { text: lanes === 1 ? wrapped(infix, element) : infix, element };
    case "shl":
    case "shr":
      return { text: shift(op, left, right, lanes), element };
    case "floorDiv":
    case "mod":
      return call(floorDivision(prelude, op, element, lanes));
    case "min":
    case "max":
      return call(extremum(prelude, op, element, lanes));
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return comparison(context, infix, element, lanes);
    case "and":
    case "or":
      return { text: `(${left.text} ${op === "and" ? "&&" : "||"} ${right.text})`, element: "u8" };
    case "pow":
      throw new InvariantError("pow must be expanded before code generation");
  }
}

/** Brings a result back into its own width: C computes narrow integers in int. */
const wrapped = (text: string, element: Element): string =>
  elementBytes[element] < 4 ? `(${cName[element]})${text}` : text;

/** Shifts by a count modulo the width, as JavaScript and the machine do. */
function shift(op: "shl" | "shr", left: Value, right: Value, lanes: number): string {
  const count = `(${right.text} & ${elementBytes[left.element] * 8 - 1})`;
  const text = `(${left.text} ${op === "shl" ? "<<" : ">>"} ${count})`;
  return lanes === 1 ? wrapped(text, left.element) : text;
}

function comparison({ prelude }: Pick<Context, "prelude">, text: string, operand: Element, lanes: number): Value {
  if (lanes === 1) return { text, element: "u8" };
  const element = maskElement(operand);
  return { text: `((${prelude.type(element, lanes)})${text})`, element };
}

/** Logic on masks: bitwise where it can be; anything else goes through 0 and 1. */
function onMasks(context: Context, op: IrBinaryOp, left: Value, right: Value, lanes: number): Value {
  const wider = elementBytes[left.element] >= elementBytes[right.element] ? left.element : right.element;
  const [a, b] = [asMask(context, left, wider, lanes), asMask(context, right, wider, lanes)];
  if (op === "and" || op === "min") return { text: `(${a.text} & ${b.text})`, element: a.element };
  if (op === "or" || op === "max") return { text: `(${a.text} | ${b.text})`, element: a.element };
  if (op === "ne") return { text: `(${a.text} ^ ${b.text})`, element: a.element };
  if (op === "eq") return { text: `(~(${a.text} ^ ${b.text}))`, element: a.element };
  const [x, y] = [maskToBits(context, left, lanes), maskToBits(context, right, lanes)];
  const value = onValues(context, op, x, y, lanes);
  return value.element === "u8" ? bitsToMask(context, value, lanes) : value;
}
