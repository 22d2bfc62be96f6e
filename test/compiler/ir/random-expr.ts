// Random well-typed scalar expressions of every kind of node, over one input buffer `X<dtype>` a type and a loop `i`.

import { fc } from "@fast-check/vitest";
import { dtypes } from "../../../src/compiler/expr/dtype.ts";
import type { UnaryOp } from "../../../src/compiler/expr/scalar-expr.ts";
import { parameterBuffer } from "../../../src/compiler/ir/buffer.ts";
import {
  binary,
  bitcast,
  cast,
  constInt,
  constOf,
  loadOf,
  select,
  unary,
  variable,
} from "../../../src/compiler/ir/build.ts";
import type { Buffer, Expr, IrBinaryOp, IrType } from "../../../src/compiler/ir/loop-ir.ts";

export const length = 16;
export const inputs: readonly Buffer[] = dtypes.map((dtype) =>
  parameterBuffer({ name: `X${dtype}`, dtype, shape: [length] }, "input"),
);

const arithmetic: readonly IrBinaryOp[] = ["add", "sub", "mul", "min", "max"];
const integerOps: readonly IrBinaryOp[] = [...arithmetic, "floorDiv", "mod"];
const bitOps: readonly IrBinaryOp[] = ["shl", "shr", "bitAnd", "bitOr", "bitXor"];
const floatOps: readonly IrBinaryOp[] = [...arithmetic, "div", "pow"];
const comparisons: readonly IrBinaryOp[] = ["eq", "ne", "lt", "le", "gt", "ge"];
const floatUnary: readonly UnaryOp[] = [
  "neg",
  "abs",
  "floor",
  "ceil",
  "round",
  "sqrt",
  "rsqrt",
  "exp",
  "log",
  "tanh",
  "erf",
  "sigmoid",
];

const isFloat = (dtype: IrType): boolean => dtype === "f32" || dtype === "f64";

const opsOf = (dtype: IrType): readonly IrBinaryOp[] => {
  if (isFloat(dtype)) return floatOps;
  if (dtype === "i64") return ["add", "sub", "mul", ...bitOps];
  return dtype === "i32" ? [...integerOps, ...bitOps] : integerOps;
};

function leaf(dtype: IrType): fc.Arbitrary<Expr> {
  if (dtype === "i64") return fc.integer().map((value) => constOf("i64", value));
  const load = fc.constant<Expr>(loadOf(inputs.find((buffer) => buffer.dtype === dtype)!, [variable("i")]));
  if (dtype === "f32")
    return fc.oneof(
      load,
      fc.float().map((value) => constOf("f32", value)),
    );
  if (dtype === "f64")
    return fc.oneof(
      load,
      fc.double().map((value) => constOf("f64", value)),
    );
  return dtype === "i32" ? fc.oneof(load, fc.integer().map(constInt), fc.constant<Expr>(variable("i"))) : load;
}

const numeric: readonly IrType[] = ["f64", "f32", "i32", "i16", "i8", "u8", "i64"];

export function randomExpr(dtype: IrType, depth: number): fc.Arbitrary<Expr> {
  if (depth === 0) return leaf(dtype);
  const same = randomExpr(dtype, depth - 1);
  const bool = fc.oneof({ depthSize: "small" }, leaf("bool"), comparison(depth - 1));
  const choices: fc.Arbitrary<Expr>[] = [
    leaf(dtype),
    fc.tuple(bool, same, same).map(([condition, yes, no]) => select(condition, yes, no)),
  ];
  if (dtype === "bool") choices.push(comparison(depth - 1), logical(depth - 1));
  else choices.push(casted(dtype, depth - 1));
  if (numeric.includes(dtype)) {
    choices.push(fc.tuple(fc.constantFrom(...opsOf(dtype)), same, same).map(([op, a, b]) => binary(op, a, b)));
    const ops: readonly UnaryOp[] = isFloat(dtype) ? floatUnary : ["neg", "abs"];
    choices.push(fc.tuple(fc.constantFrom(...ops), same).map(([op, x]) => unary(op, x)));
  }
  const twin = ({ f32: "i32", i32: "f32", f64: "i64", i64: "f64" } as Partial<Record<IrType, IrType>>)[dtype];
  if (twin) choices.push(randomExpr(twin, depth - 1).map((x) => bitcast(dtype, x)));
  return fc.oneof(...choices);
}

const comparison = (depth: number): fc.Arbitrary<Expr> =>
  fc.tuple(fc.constantFrom(...numeric), fc.constantFrom(...comparisons)).chain(([dtype, op]) => {
    const side = randomExpr(dtype, depth);
    return fc.tuple(side, side).map(([a, b]) => binary(op, a, b));
  });

const logical = (depth: number): fc.Arbitrary<Expr> => {
  const side = randomExpr("bool", depth);
  return fc.oneof(
    side.map((x) => unary("not", x)),
    fc.tuple(fc.constantFrom<IrBinaryOp[]>("and", "or"), side, side).map(([op, a, b]) => binary(op, a, b)),
  );
};

const casted = (dtype: IrType, depth: number): fc.Arbitrary<Expr> =>
  fc
    .constantFrom<IrType[]>("f64", "f32", "f16", "bf16", "i32", "i16", "i8", "u8", "bool", "i64")
    .chain((from) => randomExpr(from, depth).map((x) => cast(dtype, x)));
