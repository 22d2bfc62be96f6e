// Loop-IR expression → what is wrong with it: types, lanes, ranks and names.

import { comparisonOps, type UnaryOp } from "../expr/scalar-expr.ts";
import { castValue } from "../expr/scalar-math.ts";
import { operandsFirst } from "../support/graph.ts";
import { isPowerOfTwo } from "../support/integer-math.ts";
import { foldOps } from "./build.ts";
import { isLargeExpr } from "./graph.ts";
import type {
  Binary,
  Bitcast,
  Buffer,
  Const,
  Expr,
  Interleave,
  IntrinsicCall,
  IrType,
  LaneFold,
  LanePick,
  Lanes,
  Load,
  Select,
  Shuffle,
  Unary,
} from "./loop-ir.ts";
import { eachOperand } from "./operands.ts";
import { printExpr } from "./print-expr.ts";
import { isBitOp } from "./scalar-ops.ts";
import { lanesOf, operandsOf } from "./visit.ts";

export interface DeclaredNames {
  readonly buffers: ReadonlyMap<string, Buffer>;
  /** Loop variables and axes. */
  readonly vars: ReadonlySet<string>;
  readonly locals: ReadonlyMap<string, { readonly dtype: IrType; readonly lanes: number }>;
}

export const typeText = (dtype: IrType, lanes: number): string => (lanes === 1 ? dtype : `${dtype}x${lanes}`);
export const typeOf = (expr: Expr): string => typeText(expr.dtype, lanesOf(expr));

/** Problems of `expr` and everything in it, each followed by the guilty expression. */
export function exprProblems(expr: Expr, known: DeclaredNames): readonly string[] {
  const problems: string[] = [];
  const visit = (node: Expr): void => {
    if (node.kind === "shuffle" && node !== expr) problems.push(`a shuffle is part of ${printExpr(expr)}`);
    for (const problem of nodeProblems(node, known)) problems.push(`${problem}, in ${printExpr(node)}`);
  };
  const visitTree = (node: Expr): void => {
    eachOperand(node, visitTree);
    visit(node);
  };
  if (isLargeExpr(expr)) for (const node of operandsFirst(expr, operandsOf)) visit(node);
  else visitTree(expr);
  return problems;
}

/** Problems of the node itself, given that its operands are right. */
function nodeProblems(expr: Expr, known: DeclaredNames): readonly string[] {
  switch (expr.kind) {
    case "const":
      return constProblems(expr);
    case "var":
      return when(!known.vars.has(expr.name), `${expr.name} is no loop or axis around it`);
    case "local": {
      const local = known.locals.get(expr.name);
      if (!local) return [`${expr.name} is not defined`];
      const wanted = typeText(local.dtype, local.lanes);
      return when(typeOf(expr) !== wanted, `${expr.name} is read as ${typeOf(expr)}, it is ${wanted}`);
    }
    case "load":
      return loadProblems(expr, known);
    case "unary":
      return unaryProblems(expr);
    case "binary":
      return binaryProblems(expr);
    case "select":
      return selectProblems(expr);
    case "cast":
      return [];
    case "bitcast":
      return bitcastProblems(expr);
    case "shuffle":
      return shuffleProblems(expr);
    case "ramp":
      return [
        ...when(expr.base.dtype !== "i32", `the base is ${typeOf(expr.base)}, not i32`),
        ...when(lanesOf(expr.base) > 1 && expr.base.kind !== "ramp", `the base is ${typeOf(expr.base)} and no ramp`),
        ...when(
          !(Number.isInteger(expr.lanes / lanesOf(expr.base)) && expr.lanes > lanesOf(expr.base)),
          `a ramp of ${expr.lanes} lanes`,
        ),
        ...when(!Number.isInteger(expr.stride), `a stride of ${expr.stride}`),
      ];
    case "broadcast":
      return [
        ...when(expr.lanes % lanesOf(expr.value) !== 0, `${typeOf(expr.value)} is broadcast`),
        ...when(!(Number.isInteger(expr.lanes) && expr.lanes >= 2), `a broadcast to ${expr.lanes} lanes`),
        ...when(expr.dtype !== expr.value.dtype, `${expr.value.dtype} is broadcast as ${expr.dtype}`),
      ];
    case "lanes":
      return lanesProblems(expr);
    case "interleave":
      return interleaveProblems(expr);
    case "pick":
      return pickProblems(expr);
    case "fold":
      return foldProblems(expr);
    case "intrinsic":
      return intrinsicProblems(expr);
  }
}

const none: readonly string[] = [];

const when = (isProblem: boolean, text: string): readonly string[] => (isProblem ? [text] : none);

function constProblems({ dtype, value }: Const): readonly string[] {
  if (dtype === "i64") return when(!Number.isSafeInteger(value), `i64 holds no ${value}`);
  const held = castValue(value, "f64", dtype);
  const isFraction = isFloat(dtype) || dtype === "f16" || dtype === "bf16";
  return when(!(isFraction ? Object.is(held, value) : held === value), `${dtype} holds no ${value}`);
}

function loadProblems({ dtype, buffer: name, indices, active }: Load, known: DeclaredNames): readonly string[] {
  const buffer = known.buffers.get(name);
  if (!buffer) return [`there is no buffer ${name}`];
  return [
    ...when(buffer.dtype !== dtype, `${name} holds ${buffer.dtype}, ${dtype} is read`),
    ...accessProblems(buffer, indices, active),
  ];
}

/** Problems of a load or a store: its indices and its count of active lanes. */
export function accessProblems(buffer: Buffer, indices: readonly Expr[], active: Expr | null): readonly string[] {
  const { name, shape } = buffer;
  const last = indices.at(-1);
  return [
    ...when(
      indices.length !== shape.length,
      `${name} has ${shape.length} dimensions, ${indices.length} indices are given`,
    ),
    ...indices.flatMap((index) => when(index.dtype !== "i32", `an index is ${index.dtype}, not i32`)),
    ...indices.slice(0, -1).flatMap((index) => when(lanesOf(index) !== 1, "an index before the last is a vector")),
    ...when(
      last !== undefined && lanesOf(last) !== 1 && last.kind !== "ramp",
      "the last index is a vector but no ramp",
    ),
    ...when(active !== null && typeOf(active) !== "i32", `the count of lanes is ${active && typeOf(active)}, not i32`),
  ];
}

const isFloat = (dtype: IrType): boolean => dtype === "f32" || dtype === "f64";
const isNumber = (dtype: IrType): boolean => dtype !== "bool" && dtype !== "f16" && dtype !== "bf16";

function unaryProblems({ op, dtype, operand }: Unary): readonly string[] {
  const takes: (dtype: IrType) => boolean = unaryTakes[op] ?? isFloat;
  return [
    ...when(!takes(operand.dtype), `${op} does not take ${operand.dtype}`),
    ...when(dtype !== operand.dtype, `${op} of ${operand.dtype} is said to be ${dtype}`),
  ];
}

const unaryTakes: Partial<Record<UnaryOp, (dtype: IrType) => boolean>> = {
  neg: isNumber,
  abs: isNumber,
  not: (dtype) => dtype === "bool",
};

const comparisons: ReadonlySet<string> = new Set(comparisonOps);

function binaryProblems({ op, dtype, left, right }: Binary): readonly string[] {
  const wanted = comparisons.has(op) ? "bool" : left.dtype;
  const isAlike = left.dtype === right.dtype && lanesOf(left) === lanesOf(right);
  if (isAlike && takesBinary(op, left.dtype) && dtype === wanted) return none;
  return [
    ...when(typeOf(left) !== typeOf(right), `${op} of ${typeOf(left)} and ${typeOf(right)}`),
    ...when(!takesBinary(op, left.dtype), `${op} does not take ${left.dtype}`),
    ...when(dtype !== wanted, `${op} gives ${wanted}, it is said to be ${dtype}`),
  ];
}

function takesBinary(op: Binary["op"], dtype: IrType): boolean {
  if (op === "and" || op === "or") return dtype === "bool";
  if (op === "eq" || op === "ne") return isNumber(dtype) || dtype === "bool";
  if (op === "div" || op === "pow") return isFloat(dtype);
  if (isBitOp(op)) return dtype === "i32" || dtype === "i64";
  if (op === "floorDiv" || op === "mod") return isNumber(dtype) && !isFloat(dtype) && dtype !== "i64";
  return isNumber(dtype);
}

function selectProblems(expr: Select): readonly string[] {
  const { condition, dtype } = expr;
  const lanes = lanesOf(condition);
  return [
    ...when(condition.dtype !== "bool", `the condition is ${condition.dtype}`),
    ...when(typeOf(expr.then) !== typeOf(expr.else), `the sides are ${typeOf(expr.then)} and ${typeOf(expr.else)}`),
    ...when(lanes !== 1 && lanes !== lanesOf(expr.then), `${lanes} conditions for ${lanesOf(expr.then)} lanes`),
    ...when(dtype !== expr.then.dtype, `a select of ${expr.then.dtype} is said to be ${dtype}`),
  ];
}

const twins: Partial<Record<IrType, IrType>> = { f32: "i32", i32: "f32", f64: "i64", i64: "f64" };

const bitcastProblems = ({ dtype, operand }: Bitcast): readonly string[] =>
  when(twins[operand.dtype] !== dtype, `${operand.dtype} has not the bits of ${dtype}`);

const shuffleProblems = ({ dtype, operand, mask }: Shuffle): readonly string[] => [
  ...when(operand.kind !== "local" || operand.lanes > 1, `${typeOf(operand)} is no scalar local`),
  ...when(dtype !== "f32" && dtype !== "i32", `${dtype} is handed on`),
  ...when(!isPowerOfTwo(mask), `a mask of ${mask}`),
  ...when(dtype !== operand.dtype, `a shuffle of ${typeOf(operand)} is said to be ${dtype}`),
];

const lanesProblems = ({ dtype, elements }: Lanes): readonly string[] => [
  ...when(elements.length < 2, `a vector of ${elements.length} lanes`),
  ...elements.flatMap((each) => when(typeOf(each) !== dtype, `a lane is ${typeOf(each)}, not ${dtype}`)),
];

function interleaveProblems({ dtype, parts }: Interleave): readonly string[] {
  const wanted = typeText(dtype, lanesOf(parts[0]!));
  return [
    ...when(![2, 4, 8].includes(parts.length), `${parts.length} vectors are interleaved`),
    ...when(dtype === "bool" || lanesOf(parts[0]!) < 2, `${wanted} is interleaved`),
    ...parts.flatMap((each) => when(typeOf(each) !== wanted, `${typeOf(each)} is interleaved with ${wanted}`)),
  ];
}

function pickProblems({ dtype, parts, picks }: LanePick): readonly string[] {
  const wanted = typeText(dtype, lanesOf(parts[0]!));
  const all = parts.length * lanesOf(parts[0]!);
  return [
    ...when(picks.length < 2, `${picks.length} lanes are picked`),
    ...when(dtype === "bool" || lanesOf(parts[0]!) < 2, `lanes of ${wanted} are picked`),
    ...parts.flatMap((each) => when(typeOf(each) !== wanted, `${typeOf(each)} is picked from beside ${wanted}`)),
    ...picks.flatMap((pick) =>
      when(!(Number.isInteger(pick) && pick >= 0 && pick < all), `lane ${pick} of ${all} is picked`),
    ),
  ];
}

const foldProblems = ({ dtype, op, operand }: LaneFold): readonly string[] => [
  ...when(!foldOps.has(op), `lanes are combined by ${op}`),
  ...when(dtype === "bool" || !isPowerOfTwo(lanesOf(operand)), `lanes of ${typeOf(operand)} are combined`),
  ...when(dtype !== operand.dtype, `lanes of ${typeOf(operand)} give ${dtype}`),
];

function intrinsicProblems({ name, dtype, lanes, operands, meaning }: IntrinsicCall): readonly string[] {
  const wanted = meaning.buffers.map((buffer) => typeText(buffer.dtype, buffer.shape[0]!));
  const found = operands.map(typeOf);
  return [
    ...when(found.join() !== wanted.join(), `${name} takes ${wanted.join(", ")}, not ${found.join(", ")}`),
    ...when(
      typeText(dtype, lanes) !== wanted[0],
      `${name} gives ${wanted[0]}, it is said to be ${typeText(dtype, lanes)}`,
    ),
  ];
}
