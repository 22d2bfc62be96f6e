// Signs of the operators that C and the languages after it write alike.

import type { IrBinaryOp } from "../ir/loop-ir.ts";

export const operatorSigns: Readonly<Partial<Record<IrBinaryOp, string>>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  bitAnd: "&",
  bitOr: "|",
  bitXor: "^",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};
