// The error of an expression or a tensor that JavaScript wants as a number, as text or as a condition: at the author's operator,
// with what the language has in its place.

import { fail, hereText } from "./builder.ts";
import type { DType } from "./dtype.ts";
import { conditionUse, type JsUse, useAs, useAt } from "./js-operator.ts";

/** A value of the language that has no value in JavaScript. */
export interface Trapped {
  /** Name in messages: "an expression of type f32". */
  readonly what: string;
  readonly dtype: DType;
  /** Advice that comes before that of the operator; null: none. */
  readonly first: string | null;
}

/** @param wanted "number", "string" or "default", as JavaScript asks */
export function refusePrimitive(trapped: Trapped, wanted: string): never {
  const text = hereText();
  return refuse(trapped, (text && useAt(...text, trapped.dtype)) ?? useAs(wanted));
}

/** @param sign the operator, or the statement, that asked: "===", "&&", "?:", "if" */
export const refuseCondition = (trapped: Trapped, sign: string): never =>
  refuse(trapped, conditionUse(sign, trapped.dtype));

function refuse({ what, first }: Trapped, { message, hint }: JsUse): never {
  return fail("expr.javascript-operator", `${message} ${what}`, { hint: first ? `${first}; ${hint}` : hint });
}
