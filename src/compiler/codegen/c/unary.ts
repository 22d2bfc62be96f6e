// Unary operators → C text.

import type { Unary } from "../../ir/loop-ir.ts";
import { InvariantError } from "../../support/invariant.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Piece } from "./element.ts";
import { emit } from "./expression.ts";
import { absolute, rounding } from "./math-function.ts";
import { splat } from "./vector-function.ts";

export function emitUnary(context: Context, expr: Unary, piece: Piece): Value {
  const { prelude } = context;
  const operand = emit(context, expr.operand, piece);
  const { text, element } = operand;
  switch (expr.op) {
    case "neg":
      return { text: negation(operand, piece), element };
    case "not":
      return { text: piece.lanes === 1 ? `!(${text})` : `(~${text})`, element };
    case "abs":
      return { text: `${absolute(prelude, element, piece.lanes)}(${text})`, element };
    case "sqrt":
    case "floor":
    case "ceil":
    case "round":
      return { text: `${rounding(prelude, expr.op, element, piece.lanes)}(${text})`, element };
    case "rsqrt":
      return { text: reciprocalRoot(context, operand, piece), element };
    case "exp":
    case "log":
    case "tanh":
    case "erf":
    case "sigmoid":
      throw new InvariantError(`${expr.op} must be expanded before code generation`);
  }
}

/** Narrow integers are computed in int and brought back. */
const negation = ({ text, element }: Value, { lanes }: Piece): string =>
  lanes === 1 ? `(${cName[element]})(-${text})` : `(-${text})`;

function reciprocalRoot({ prelude }: Context, { text, element }: Value, { lanes }: Piece): string {
  const root = `${rounding(prelude, "sqrt", element, lanes)}(${text})`;
  const one = element === "f32" ? "1.0f" : "1.0";
  return `(${lanes === 1 ? one : `${splat(prelude, element, lanes)}(${one})`} / ${root})`;
}
