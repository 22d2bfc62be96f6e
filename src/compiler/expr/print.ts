// The canonical text of a ComputeDef: complete, so that it is the identity of an operator, and made to be read.
//
//   gemm(A: f32[61, 97], B: f32[97, 83]) -> C
//   C[i, j] = sum(A[i, k] * B[k, j], k)  f32  i 61, j 83, k 97
//
// An input that stays the same is B: const f32[97, 83].

import { sha256 } from "../support/digest.ts";
import { foldOnce, isLarge } from "../support/graph.ts";
import { namedNodes } from "../support/shared-nodes.ts";
import type { ComputeDef, Stage } from "./compute-def.ts";
import { type DType, isFloat } from "./dtype.ts";
import { children, foldScalar } from "./expr-visit.ts";
import { interned } from "./interned.ts";
import type { BinaryOp, ConstExpr, ScalarExpr } from "./scalar-expr.ts";
import { fit } from "./scalar-math.ts";

/** First the inputs and the results, then one line a stage: its element, its type, the extents of its axes. */
export function printComputeDef({ name, inputs, stages, outputs, constants = [] }: ComputeDef): string {
  const tensors = inputs.map((input) => {
    const word = constants.includes(input.name) ? "const " : "";
    return `${input.name}: ${word}${input.dtype}[${input.shape.join(", ")}]`;
  });
  return [`${name}(${tensors.join(", ")}) -> ${outputs.join(", ")}`, ...stages.map(printStage), ""].join("\n");
}

/** Sha256 of the canonical text: same digest, same computation. Parameters and source places do not enter. */
export const digestOf = (def: ComputeDef): string => sha256(printComputeDef(def));

/** `C[i, j] = sum(A[i, k] * B[k, j], k)  f32  i 61, j 83, k 97` */
export function printStage({ name, axes, dtype, reduce, body }: Stage): string {
  const left = axes.length === 0 ? name : `${name}[${axes.map((axis) => axis.name).join(", ")}]`;
  const extents = [...axes, ...(reduce?.axes ?? [])].map((axis) => `${axis.name} ${axis.extent}`);
  const right = reduce ? `${reduce.reducer}(${printExpr(body)}, ${axisList(reduce.axes)})` : printExpr(body);
  return [`${left} = ${right}`, dtype, ...(extents.length > 0 ? [extents.join(", ")] : [])].join("  ");
}

function axisList(axes: readonly { readonly name: string }[]): string {
  const names = axes.map((axis) => axis.name).join(", ");
  return axes.length === 1 ? names : `[${names}]`;
}

/** The operators that have a sign, with how tightly they bind; the others print as functions. */
const signs: Readonly<Partial<Record<BinaryOp, readonly [sign: string, precedence: number]>>> = {
  or: ["||", 1],
  and: ["&&", 2],
  eq: ["==", 3],
  ne: ["!=", 3],
  lt: ["<", 4],
  le: ["<=", 4],
  gt: [">", 4],
  ge: [">=", 4],
  add: ["+", 5],
  sub: ["-", 5],
  mul: ["*", 6],
  div: ["/", 6],
};
const prefixPrecedence = 7;

/** A text, and how tightly it binds: less than its surroundings, and it needs parentheses. */
interface Printed {
  readonly text: string;
  readonly binds: number;
}

type PrintedOf = (operand: ScalarExpr) => Printed;

const tightest = 8;
const word = (text: string): Printed => ({ text, binds: tightest });

/**
 * Parentheses stand wherever the tree is not the one that reading from the left gives: float sums do not associate. In a
 * large expression, what is used several times is written once, under a name:
 *
 *     let %0 = (x[i] + a / x[i]) * 0.5; %1 = (%0 + a / %0) * 0.5 in %1 + a
 */
export function printExpr(expr: ScalarExpr): string {
  if (!isLarge(expr, children)) return foldScalar(expr, printNode).text;
  const graph = interned(expr);
  const names = new Map(namedNodes(graph, children).map((node, at) => [node, `%${at}`]));
  const values: string[] = [];
  const text = foldOnce<ScalarExpr, Printed>(graph, children, (node, of) => {
    const printed = printNode(node, of);
    const name = names.get(node);
    if (name === undefined) return printed;
    values.push(`${name} = ${printed.text}`);
    return word(name);
  }).text;
  return values.length === 0 ? text : `let ${values.join("; ")} in ${text}`;
}

function printNode(expr: ScalarExpr, of: PrintedOf): Printed {
  const args = (...operands: readonly ScalarExpr[]): string => operands.map((operand) => of(operand).text).join(", ");
  switch (expr.kind) {
    case "const":
      return word(printConst(expr));
    case "axis":
      return word(expr.name);
    case "read":
      return word(`${expr.tensor}[${args(...expr.indices)}]`);
    case "unary":
      if (expr.op === "neg") return prefix("-", expr.operand, of);
      return expr.op === "not" ? prefix("!", expr.operand, of) : word(`${expr.op}(${args(expr.operand)})`);
    case "binary": {
      const [sign, precedence] = signs[expr.op] ?? [];
      if (sign === undefined || precedence === undefined) return word(`${expr.op}(${args(expr.left, expr.right)})`);
      const [left, right] = [within(of(expr.left), precedence), within(of(expr.right), precedence + 1)];
      return { text: `${left} ${sign} ${right}`, binds: precedence };
    }
    case "select":
      return word(`select(${args(expr.condition, expr.then, expr.else)})`);
    case "cast":
      return word(`${expr.dtype}(${args(expr.operand)})`);
  }
}

const within = ({ text, binds }: Printed, precedence: number): string => (binds < precedence ? `(${text})` : text);

/** The operand always in parentheses unless it is one word, so that `-(1.0)` is not the constant `-1.0`. */
function prefix(sign: string, operand: ScalarExpr, of: PrintedOf): Printed {
  const inner = operand.kind === "const" ? `(${of(operand).text})` : within(of(operand), prefixPrecedence + 1);
  return { text: `${sign}${inner}`, binds: prefixPrecedence };
}

/** i32 and f32 are plain, `3` and `0.5`; others carry their type, `3i8`; bool is true or false. */
function printConst({ dtype, value }: ConstExpr): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  const suffix = dtype === "i32" || dtype === "f32" ? "" : dtype;
  if (!isFloat(dtype)) return `${value}${suffix}`;
  if (Number.isNaN(value)) return `${dtype}.nan`;
  if (!Number.isFinite(value)) return `${value < 0 ? "-" : ""}${dtype}.inf`;
  return `${printFloat(value, dtype)}${suffix}`;
}

/** The shortest decimal that is this value in its type, always with a point or an exponent. */
function printFloat(value: number, dtype: DType): string {
  if (Object.is(value, -0)) return "-0.0";
  for (let digits = 1; digits <= 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Object.is(fit[dtype](short), value)) return withPoint(String(short));
  }
  return withPoint(String(value));
}

const withPoint = (text: string): string => (/[.e]/.test(text) ? text : `${text}.0`);
