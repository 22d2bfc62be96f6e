// Input tensors, and what every tensor is to the user: a function from indices to the element.

import { type Builder, builderFor, fail, here } from "./builder.ts";
import { count, countInWords, requireNewName, requireShape } from "./declaration-check.ts";
import { inWords, isWhat } from "./describe.ts";
import { computeType, type DType, isInteger } from "./dtype.ts";
import { castTo, ExprHandle, requireDType, toExpr } from "./expr-handle.ts";
import type { ComputeType, Expr, Operand, Tensor } from "./expr-type.ts";
import { refusePrimitive, type Trapped } from "./primitive-trap.ts";
import type { ScalarExpr } from "./scalar-expr.ts";

/**
 * An input of the operator, row-major.
 *
 * @param shape positive integers; `[]` is a single element
 * @example const A = tensor("A", [M, K], "f32"); A(i, k).mul(2)
 */
export function tensor<D extends DType>(name: string, shape: readonly number[], dtype: D): Tensor<D> {
  const builder = builderFor("tensor");
  requireNewName(builder, name);
  requireDType(dtype, `the type of ${name}`);
  requireShape(name, shape);
  builder.inputs.push({ name, shape: [...shape], dtype, loc: here() });
  return tensorHandle(builder, name, shape, dtype);
}

const tensorBrand = Symbol("tensor");

export const isTensor = (value: unknown): value is Tensor => typeof value === "function" && tensorBrand in value;

export function tensorHandle<D extends DType>(
  builder: Builder,
  name: string,
  shape: readonly number[],
  dtype: D,
): Tensor<D> {
  const owner = builder;
  const facts = { tensorName: name, shape: [...shape], dtype, [tensorBrand]: true };
  const read = (...indices: readonly Operand[]): Expr<ComputeType<D>> => {
    requireOwner(owner, name);
    requireRank(facts, indices.length);
    const loc = here();
    const stored: ScalarExpr = { kind: "read", tensor: name, indices: indices.map(indexOf(name)), dtype, loc };
    return new ExprHandle(castTo(stored, computeType(dtype), loc));
  };
  return Object.defineProperties(Object.assign(read, facts), ofJavaScript(facts));
}

/** Answers to JavaScript, where it takes a tensor for a value; nothing enumerates them. */
function ofJavaScript({ tensorName: name, shape, dtype }: Facts): PropertyDescriptorMap {
  const indices = shape.map((_, dim) => "ijklmn"[dim] ?? `i${dim}`).join(", ");
  const first = `read its elements: ${name}(${indices})`;
  const text = (): string => `${name}: ${dtype}[${shape.join(", ")}]`;
  const trapped: Trapped = { what: `the tensor ${name}`, dtype, first };
  return {
    [Symbol.toPrimitive]: { value: (wanted: string): never => refusePrimitive(trapped, wanted) },
    [inWords]: { value: `the tensor ${name} without indices` },
    toString: { value: text },
    toJSON: { value: text },
    [Symbol.for("nodejs.util.inspect.custom")]: { value: () => `Tensor ${text()}` },
  };
}

function requireOwner(owner: Builder, name: string): void {
  if (builderFor(`reading ${name}`) === owner) return;
  fail("expr.unknown-tensor", `${name} is a tensor of another operator`, {
    hint: "declare the tensors inside the function that is given to defineOp",
  });
}

type Facts = Pick<Tensor, "tensorName" | "shape" | "dtype">;

function requireRank({ tensorName, shape, dtype }: Facts, given: number): void {
  const rank = shape.length;
  if (given === rank) return;
  const indices = count(given, "index", "indices");
  const dimensions = count(rank, "dimension", "dimensions");
  const change = countInWords(Math.abs(given - rank), "index", "indices");
  const wanted = countInWords(given, "dimension", "dimensions");
  fail("expr.shape-mismatch", `${tensorName} is read with ${indices}, it has ${dimensions}`, {
    hint: `${given > rank ? "drop" : "add"} ${change}, or declare ${tensorName} with ${wanted}`,
    note: `${tensorName}: ${dtype}[${shape.join(", ")}]`,
  });
}

/** Indices are i32; narrower integers widen. */
const indexOf =
  (name: string) =>
  (index: Operand, dim: number): ScalarExpr => {
    if (typeof index === "number" && !Number.isInteger(index)) {
      const hint = "an index is an integer: Math.floor rounds a number, floorDiv divides an expression";
      fail("expr.index-type", `index ${dim} of ${name} ${isWhat(index)}`, { hint });
    }
    const expr = toExpr(index, "i32", `index ${dim} of ${name}`);
    if (isInteger(expr.dtype)) return castTo(expr, "i32", expr.loc);
    return fail("expr.index-type", `index ${dim} of ${name} is ${expr.dtype}`, { hint: 'cast it: x.cast("i32")' });
  };
