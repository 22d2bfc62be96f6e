// Loop-IR expression → WGSL text, in parentheses where it matters: of a scalar, of a vector of up to four lanes, or of one lane of any
// vector. Nothing has effects and no access leaves memory, so all of an expression may be computed.

import { boundsOf } from "../../ir/bounds.ts";
import type {
  Binary,
  Broadcast,
  Cast,
  Expr,
  Interleave,
  LaneFold,
  LanePick,
  Lanes,
  Local,
  Ramp,
  Select,
} from "../../ir/loop-ir.ts";
import { eachOperand } from "../../ir/operands.ts";
import { lanesOf } from "../../ir/visit.ts";
import { type Arithmetic, binaryText, castText, unaryText } from "./arithmetic.ts";
import { constantOf, wgslConst } from "./constant.ts";
import { bound, type WgslContext } from "./context.ts";
import { mostLanes, scalarType, valueType } from "./elements.ts";
import { loadText } from "./load.ts";
import { callText } from "./word-dot.ts";

/** A lane of a vector, by number; null: the scalar, or all lanes of a short vector. */
export type LaneNumber = number | null;

export function wgslExpr(expr: Expr, lane: LaneNumber, context: WgslContext): string {
  const text = textOf(expr, lane, context);
  // Compilers for WGSL read no deeper than some hundred parentheses.
  return depthOf(expr, context.depths) % depthWithName === 0 ? bound(text, context) : text;
}

const depthWithName = 24;

/** Depth of the tree below an expression; most have no operands, and are not worth remembering. */
function depthOf(expr: Expr, known: Map<Expr, number>): number {
  if (expr.kind === "local" || expr.kind === "const" || expr.kind === "var") return 1;
  const remembered = known.get(expr);
  if (remembered !== undefined) return remembered;
  let most = 0;
  eachOperand(expr, (operand) => {
    most = Math.max(most, depthOf(operand, known));
  });
  known.set(expr, most + 1);
  return most + 1;
}

function textOf(expr: Expr, lane: LaneNumber, context: WgslContext): string {
  const lanes = lanesOf(expr);
  const at = lanes === 1 ? null : lane;
  const arithmetic: Arithmetic = { lanes: at === null ? lanes : 1, use: context.use };
  const on = (operand: Expr): string => wgslExpr(operand, at, context);
  switch (expr.kind) {
    case "const":
      return wgslConst(expr.dtype, expr.value, context.use);
    case "var":
      return context.names(expr.name);
    case "local":
      return localText(expr, at, context);
    case "load":
      return loadText(expr, at, context);
    case "unary":
      return unaryText(expr.op, expr.dtype, on(expr.operand), arithmetic);
    case "binary":
      return binary(expr, on, arithmetic, context);
    case "select":
      return selectText(expr, on);
    case "cast":
      return castText(expr.operand.dtype, expr.dtype, on(expr.operand), arithmetic);
    case "bitcast":
      return bitcastText(expr.dtype, expr.operand, on(expr.operand), arithmetic);
    case "shuffle":
      return `subgroupShuffleXor(${on(expr.operand)}, ${expr.mask}u)`;
    case "ramp":
      return rampText(expr, at, context);
    case "broadcast":
      return broadcastText(expr, at, context);
    case "lanes":
    case "interleave":
    case "pick":
      return at === null ? joined(expr, context) : partOf(expr, at, context);
    case "fold":
      return foldText(expr, context);
    case "intrinsic":
      return callText(expr, context);
  }
}

function localText({ name, dtype, lanes }: Local, at: LaneNumber, { names }: WgslContext): string {
  scalarType(dtype);
  return lanes === 1 || at === null ? names(name) : `${names(name)}[${at}]`;
}

function binary(expr: Binary, on: (operand: Expr) => string, arithmetic: Arithmetic, context: WgslContext): string {
  const { op, left, right, dtype } = expr;
  // Both sides are evaluated, as neither can do harm: a choice of sides is a branch, and hundreds of those cost compilers minutes.
  if (op === "and" || op === "or") return `(${on(left)} ${op === "and" ? "&" : "|"} ${on(right)})`;
  const rounds = (op === "floorDiv" || op === "mod") && left.dtype === "i32";
  const isNatural = rounds && lanesOf(left) === 1 && boundsOf(left, context.ranges).min >= 0;
  const divisor = constantOf(right)?.value ?? null;
  return binaryText({ op, from: left.dtype, dtype, right: divisor, isNatural }, on(left), on(right), arithmetic);
}

/** The lanes combined by halves, each lane written out once. */
function foldText({ op, dtype, operand }: LaneFold, context: WgslContext): string {
  const operation = { op, from: dtype, dtype, right: null, isNatural: false };
  let texts = Array.from({ length: lanesOf(operand) }, (_, lane) => wgslExpr(operand, lane, context));
  while (texts.length > 1) {
    const upper = texts.splice(texts.length / 2);
    texts = texts.map((text, at) => binaryText(operation, text, upper[at]!, { lanes: 1, use: context.use }));
  }
  return texts[0]!;
}

const selectText = ({ condition, then: yes, else: no }: Select, on: (expr: Expr) => string): string =>
  `select(${on(no)}, ${on(yes)}, ${on(condition)})`;

function bitcastText(dtype: Cast["dtype"], operand: Expr, x: string, { lanes }: Arithmetic): string {
  scalarType(operand.dtype);
  return `bitcast<${valueType(dtype, lanes)}>(${x})`;
}

function rampText(ramp: Ramp, at: LaneNumber, context: WgslContext): string {
  const { base, stride, lanes } = ramp;
  const width = lanesOf(base);
  if (at !== null) {
    const steps = Math.floor(at / width) * stride;
    const start = wgslExpr(base, width === 1 ? null : at % width, context);
    return steps === 0 ? start : `(${start} + ${wgslConst("i32", steps, context.use)})`;
  }
  if (width > 1) return lanesText(ramp, context);
  const steps = Array.from({ length: lanes }, (_, lane) => wgslConst("i32", lane * stride, context.use));
  return `(vec${lanes}<i32>(${wgslExpr(base, null, context)}) + vec${lanes}<i32>(${steps.join(", ")}))`;
}

function broadcastText({ value, lanes, dtype }: Broadcast, at: LaneNumber, context: WgslContext): string {
  const width = lanesOf(value);
  if (at !== null) return wgslExpr(value, width === 1 ? null : at % width, context);
  const text = wgslExpr(value, null, context);
  if (width === 1) return `${valueType(dtype, lanes)}(${text})`;
  const again = bound(text, context);
  return `${valueType(dtype, lanes)}(${Array.from({ length: lanes / width }, () => again).join(", ")})`;
}

const joined = (expr: Lanes | Interleave | LanePick, context: WgslContext): string => lanesText(expr, context);

/** A short vector put together of its lanes. */
export function lanesText(expr: Expr, context: WgslContext): string {
  const lanes = Array.from({ length: lanesOf(expr) }, (_, lane) => wgslExpr(expr, lane, context));
  return `${valueType(expr.dtype, lanes.length)}(${lanes.join(", ")})`;
}

function partOf(expr: Lanes | Interleave | LanePick, at: number, context: WgslContext): string {
  if (expr.kind === "lanes") return wgslExpr(expr.elements[at]!, null, context);
  const count = expr.parts.length;
  const width = lanesOf(expr.parts[0]!);
  const [part, lane] =
    expr.kind === "pick"
      ? [Math.floor(expr.picks[at]! / width), expr.picks[at]! % width]
      : [at % count, Math.floor(at / count)];
  return wgslExpr(expr.parts[part]!, width === 1 ? null : lane, context);
}

/** Whether a value is a vector of the language. */
export const isShort = (value: Expr): boolean => lanesOf(value) <= mostLanes;
