// Check of a condition at run time. JavaScript asks an object neither for its truth nor when it compares identities, so the loader
// of operator files puts this call around what can only be an expression there.

import * as authoring from "./authoring.ts";
import { ExprHandle, trapped } from "./expr-handle.ts";
import { refuseCondition } from "./primitive-trap.ts";
import { isTensor } from "./tensor.ts";

const functions: ReadonlySet<unknown> = new Set(Object.values(authoring));

/**
 * @param value of a condition, or of an operand of `===`
 * @param sign the operator or statement that takes it
 * @param callee function that gave the value; true: the value is always there. Another function may give an expression or
 *   nothing, and then its truth is a fair question
 * @returns `value`, where it is not an expression
 */
export function guardCondition<T>(value: T, sign: string, callee: unknown): T {
  if (value instanceof ExprHandle && (callee === true || isTensor(callee) || functions.has(callee)))
    refuseCondition(trapped(value), sign);
  return value;
}
