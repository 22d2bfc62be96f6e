// Unary operators → C text.

import type { Unary } from "../../ir/loop-ir.ts";
import { InvariantError } from "../../support/invariant.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Piece } from "./element.ts";
import { absolute, rounding } from "./math-function.ts";
import { emit } from "./operand.ts";
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

/** Negates. Narrow integers are computed in int and brought back. */
const negation = ({ text, element }: Value, { lanes }: Piece): string =>
  lanes === 1 ? `(${cName[element]})(-${text})` : `(-${text})`;

/** Reciprocal square root, rounded once: that of an f32 is computed in f64. */
function reciprocalRoot({ prelude }: Context, { text, element }: Value, { lanes }: Piece): string {
  if (lanes === 1)
    return element === "f64" ? `(1.0 / __builtin_sqrt(${text}))` : `(float)(1.0 / __builtin_sqrt(${text}))`;
  const [single, double] = [prelude.type("f32", lanes), prelude.type("f64", lanes)];
  const wide = element === "f64" ? text : `__builtin_convertvector(${text}, ${double})`;
  const inverse = `${splat(prelude, "f64", lanes)}(1.0) / ${rounding(prelude, "sqrt", "f64", lanes)}(${wide})`;
  return element === "f64" ? `(${inverse})` : `__builtin_convertvector(${inverse}, ${single})`;
}
