// A call of an intrinsic → C text. Its operands are whole vectors, even if the statement around it is in pieces.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, IntrinsicCall, Stmt } from "../../ir/loop-ir.ts";
import { walkStmt } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context, Value } from "./context.ts";
import { type Piece, storedElement } from "./element.ts";
import { emit } from "./operand.ts";
import type { Prelude } from "./prelude.ts";
import { inline } from "./vector-function.ts";

export function emitIntrinsicCall(context: Context, expr: IntrinsicCall, piece: Piece): Value {
  const { prelude } = context;
  const element = storedElement[expr.dtype];
  const texts = expr.operands.map((operand) => emit(context, operand, { start: 0, lanes: lanesOf(operand) }).text);
  const call = `${intrinsicFunction(prelude, expr)}(${texts.join(", ")})`;
  if (piece.lanes === expr.lanes) return { text: call, element };
  const type = prelude.type(element, expr.lanes);
  const part = Array.from({ length: piece.lanes }, (_, lane) => `whole[${piece.start + lane}]`).join(", ");
  const name = `uk_lanes_${piece.start}_${piece.lanes}_of_${element}x${expr.lanes}`;
  prelude.define(name, () => {
    const result = prelude.type(element, piece.lanes);
    const value = piece.lanes === 1 ? part : `(${result}){${part}}`;
    return `${inline} ${result} ${name}(${type} whole) { return ${value}; }`;
  });
  return { text: `${name}(${call})`, element };
}

/** The operands are the parameters, by their names in the meaning. */
function intrinsicFunction(prelude: Prelude, { name, meaning, text: { c: text } }: IntrinsicCall): string {
  invariant(text?.kind === "vectors", `${name} has no C text`);
  const types = meaning.buffers.map(({ dtype, shape }) => prelude.type(storedElement[dtype], shape[0]!));
  const parameters = meaning.buffers.map((buffer, at) => `${types[at]} ${buffer.name}`).join(", ");
  const called = `uk_${meaning.name}`;
  const body =
    text.gcc === text.clang
      ? `  return ${text.gcc};`
      : `#ifdef __clang__\n  return ${text.clang};\n#else\n  return ${text.gcc};\n#endif`;
  const preamble = text.preamble === undefined ? "" : `${text.preamble}\n`;
  return prelude.define(called, () => `${preamble}${inline} ${types[0]} ${called}(${parameters}) {\n${body}\n}`);
}

/** Locals that are operands of intrinsics, and how many lanes of them are one C variable: all. */
export function operandLocals(body: Stmt): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const note = (operand: Expr): void => {
    if (operand.kind === "local") found.set(operand.name, operand.lanes);
    else if (operand.kind === "cast") note(operand.operand);
  };
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind === "intrinsic") expr.operands.forEach(note);
    },
  );
  return found;
}
