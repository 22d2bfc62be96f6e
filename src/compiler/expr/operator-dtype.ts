// Type rules of the operators: the types that each takes, and the type that it gives.

import { type DType, isFloat, isInteger } from "./dtype.ts";
import { type BinaryOp, comparisonOps, type UnaryOp } from "./scalar-expr.ts";

/** Types that an operator takes, in words for messages. */
export type TypeClass = "any type" | "numbers" | "floats" | "integers" | "bool";

const contains: Readonly<Record<TypeClass, (dtype: DType) => boolean>> = {
  "any type": () => true,
  numbers: (dtype) => dtype !== "bool",
  floats: isFloat,
  integers: isInteger,
  bool: (dtype) => dtype === "bool",
};

export const accepts = (domain: TypeClass, dtype: DType): boolean => contains[domain](dtype);

export const unaryDomain: Readonly<Record<UnaryOp, TypeClass>> = {
  neg: "numbers",
  not: "bool",
  abs: "numbers",
  floor: "floats",
  ceil: "floats",
  round: "floats",
  sqrt: "floats",
  rsqrt: "floats",
  exp: "floats",
  log: "floats",
  tanh: "floats",
  erf: "floats",
  sigmoid: "floats",
};

export const binaryDomain: Readonly<Record<BinaryOp, TypeClass>> = {
  add: "numbers",
  sub: "numbers",
  mul: "numbers",
  div: "floats",
  floorDiv: "integers",
  mod: "integers",
  min: "numbers",
  max: "numbers",
  pow: "floats",
  eq: "any type",
  ne: "any type",
  lt: "numbers",
  le: "numbers",
  gt: "numbers",
  ge: "numbers",
  and: "bool",
  or: "bool",
};

export const isComparison = (op: BinaryOp): boolean => (comparisonOps as readonly string[]).includes(op);

/** The type of `op` on operands of `dtype`. */
export const binaryResult = (op: BinaryOp, dtype: DType): DType => (isComparison(op) ? "bool" : dtype);
