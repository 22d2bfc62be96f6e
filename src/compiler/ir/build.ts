// Small constructors for the loop IR. Those of i32 fold what is trivial (x + 0, x * 1, 2 * 3), so that generated index
// arithmetic stays readable; everything else is built as asked.

import type { DType } from "../expr/dtype.ts";
import { comparisonOps, type UnaryOp } from "../expr/scalar-expr.ts";
import { invariant } from "../support/invariant.ts";
import type {
  Assign,
  Bitcast,
  Block,
  BoxSync,
  Buffer,
  Const,
  Define,
  Expr,
  FoldOp,
  For,
  If,
  Interleave,
  IrBinaryOp,
  IrType,
  LaneFold,
  LanePick,
  Lanes,
  Load,
  Local,
  LoopMark,
  Prefetch,
  Ramp,
  Registers,
  Shuffle,
  Stmt,
  Store,
  Sync,
  TailStrategy,
  Unary,
  Var,
} from "./loop-ir.ts";
import { flattenSeq, lanesOf } from "./visit.ts";

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const constOf = (dtype: IrType, value: number): Const => ({ kind: "const", dtype, value });
export const constInt = (value: number): Const => constOf("i32", value);
export const variable = (name: string): Var => ({ kind: "var", dtype: "i32", name });
export const localOf = (name: string, dtype: IrType, lanes = 1): Local => ({ kind: "local", dtype, lanes, name });

export const loadOf = (
  buffer: { readonly name: string; readonly dtype: DType },
  indices: readonly Expr[],
  active: Expr | null = null,
): Load => ({ kind: "load", dtype: buffer.dtype, buffer: buffer.name, indices, active });

export const unary = (op: UnaryOp, operand: Expr): Unary => ({ kind: "unary", dtype: operand.dtype, op, operand });

const comparisons: ReadonlySet<string> = new Set(comparisonOps);

export function binary(op: IrBinaryOp, left: Expr, right: Expr): Expr {
  const folded = left.dtype === "i32" && right.dtype === "i32" ? foldInt(op, left, right) : null;
  if (folded) return folded;
  return { kind: "binary", dtype: comparisons.has(op) ? "bool" : left.dtype, op, left, right };
}

export const add = (left: Expr, right: Expr): Expr => binary("add", left, right);
export const sub = (left: Expr, right: Expr): Expr => binary("sub", left, right);
export const mul = (left: Expr, right: Expr): Expr => binary("mul", left, right);
export const div = (left: Expr, right: Expr): Expr => binary("div", left, right);
export const floorDiv = (left: Expr, right: Expr): Expr => binary("floorDiv", left, right);
export const mod = (left: Expr, right: Expr): Expr => binary("mod", left, right);
export const min = (left: Expr, right: Expr): Expr => binary("min", left, right);
export const max = (left: Expr, right: Expr): Expr => binary("max", left, right);
export const lt = (left: Expr, right: Expr): Expr => binary("lt", left, right);
export const le = (left: Expr, right: Expr): Expr => binary("le", left, right);
export const gt = (left: Expr, right: Expr): Expr => binary("gt", left, right);
export const ge = (left: Expr, right: Expr): Expr => binary("ge", left, right);
export const eq = (left: Expr, right: Expr): Expr => binary("eq", left, right);
export const ne = (left: Expr, right: Expr): Expr => binary("ne", left, right);
export const and = (left: Expr, right: Expr): Expr => binary("and", left, right);
export const or = (left: Expr, right: Expr): Expr => binary("or", left, right);

export const select = (condition: Expr, yes: Expr, no: Expr): Expr => ({
  kind: "select",
  dtype: yes.dtype,
  condition,
  then: yes,
  else: no,
});

export const cast = (dtype: IrType, operand: Expr): Expr =>
  operand.dtype === dtype ? operand : { kind: "cast", dtype, operand };

export const shuffle = (operand: Local, mask: number): Shuffle => ({
  kind: "shuffle",
  dtype: operand.dtype,
  operand,
  mask,
});

export const bitcast = (dtype: IrType, operand: Expr): Bitcast => ({ kind: "bitcast", dtype, operand });

/** @param lanes all of them, those of a base that is a ramp included */
export const ramp = (base: Expr, stride: number, lanes: number): Ramp => ({
  kind: "ramp",
  dtype: "i32",
  base,
  stride,
  lanes,
});

/** `value` itself if it has as many lanes already. */
export function broadcast(value: Expr, lanes: number): Expr {
  if (lanesOf(value) === lanes) return value;
  invariant(lanes % lanesOf(value) === 0, `a vector of ${lanesOf(value)} lanes cannot be broadcast to ${lanes}`);
  return { kind: "broadcast", dtype: value.dtype, value, lanes };
}

export const lanesFrom = (elements: readonly Expr[]): Lanes => ({ kind: "lanes", dtype: elements[0]!.dtype, elements });

export const interleave = (parts: readonly Expr[]): Interleave => ({
  kind: "interleave",
  dtype: parts[0]!.dtype,
  parts,
});

/** @param parts vectors of one length */
export const pick = (parts: readonly Expr[], picks: readonly number[]): LanePick => ({
  kind: "pick",
  dtype: parts[0]!.dtype,
  parts,
  picks,
});

/** Operations that combine in any order, with another rounding where they are of floats. */
export const foldOps: ReadonlySet<string> = new Set<FoldOp>(["add", "mul", "min", "max"]);

/** @param operand a vector */
export const fold = (op: FoldOp, operand: Expr): LaneFold => ({ kind: "fold", dtype: operand.dtype, op, operand });

/** The index, in elements, of a row-major access: `(i0 * shape[1] + i1) * shape[2] + i2`. */
export const flatIndex = (shape: readonly number[], indices: readonly Expr[]): Expr =>
  indices.reduce((sum, index, dim) => add(mul(sum, constInt(shape[dim]!)), index), constInt(0) as Expr);

// ── folding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const isConst = (expr: Expr, value: number): boolean => expr.kind === "const" && expr.value === value;

/** Folds two constants, both i32; null if there is nothing to fold. */
function foldInt(op: IrBinaryOp, left: Expr, right: Expr): Expr | null {
  if (left.kind === "const" && right.kind === "const") return foldConsts(op, left.value, right.value);
  if (lanesOf(left) !== lanesOf(right)) return null;
  switch (op) {
    case "add":
      return isConst(left, 0) ? right : isConst(right, 0) ? left : null;
    case "sub":
      return isConst(right, 0) ? left : null;
    case "mul":
      if (isConst(left, 0) || isConst(right, 0)) return constInt(0);
      return isConst(left, 1) ? right : isConst(right, 1) ? left : null;
    case "floorDiv":
      return isConst(right, 1) ? left : null;
    case "mod":
      return isConst(right, 1) ? constInt(0) : null;
    default:
      return null;
  }
}

function foldConsts(op: IrBinaryOp, a: number, b: number): Const | null {
  const int = (value: number): Const => constInt(value | 0);
  const bool = (value: boolean): Const => constOf("bool", value ? 1 : 0);
  switch (op) {
    case "add":
      return int(a + b);
    case "sub":
      return int(a - b);
    case "mul":
      return int(Math.imul(a, b));
    case "floorDiv":
      return b === 0 ? null : int(Math.floor(a / b));
    case "mod":
      return b === 0 ? null : int(a - b * Math.floor(a / b));
    case "min":
      return int(Math.min(a, b));
    case "max":
      return int(Math.max(a, b));
    case "lt":
      return bool(a < b);
    case "le":
      return bool(a <= b);
    case "gt":
      return bool(a > b);
    case "ge":
      return bool(a >= b);
    case "eq":
      return bool(a === b);
    case "ne":
      return bool(a !== b);
    default:
      return null;
  }
}

// ── statements ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const forLoop = (
  name: string,
  extent: number,
  body: Stmt,
  mark: LoopMark = "serial",
  tail: TailStrategy = "guard",
): For => ({ kind: "for", name, extent, mark, tail, annotations: {}, body });

/** Sequence of statements. Nested ones are flattened where no local's scope would change; a sequence of one is that statement. */
export function seq(...stmts: readonly Stmt[]): Stmt {
  const flat = flattenSeq(stmts);
  return flat.body.length === 1 && flat.body[0]!.kind !== "define" ? flat.body[0]! : flat;
}

export const ifThen = (condition: Expr, yes: Stmt, no: Stmt | null = null): If => ({
  kind: "if",
  condition,
  then: yes,
  else: no,
});

export const store = (
  buffer: Pick<Buffer, "name">,
  indices: readonly Expr[],
  value: Expr,
  active: Expr | null = null,
): Store => ({ kind: "store", buffer: buffer.name, indices, value, active });

export const prefetch = (buffer: Pick<Buffer, "name">, indices: readonly Expr[], writes: boolean): Prefetch => ({
  kind: "prefetch",
  buffer: buffer.name,
  indices,
  writes,
});

export const sync = (what: Sync["what"], pending = 0): Sync => ({ kind: "sync", what, pending });

/** End of a batch of boxes or of its use, or the wait for either. */
export const syncBoxes = (what: BoxSync, slots: number): Sync => ({
  kind: "sync",
  what,
  pending: 0,
  slots,
});

/** Definition of a local, whose type and lanes are those of the value. */
export const define = (name: string, value: Expr, memory: Registers = "register"): Define => ({
  kind: "define",
  name,
  dtype: value.dtype,
  lanes: lanesOf(value),
  memory,
  value,
});

export const assign = (name: string, value: Expr): Assign => ({ kind: "assign", name, value });

/** The expression that reads what a `define` introduced. */
export const localFrom = ({ name, dtype, lanes }: Define): Local => localOf(name, dtype, lanes);

/** `init` is for reductions. */
export function block(fields: Omit<Block, "kind" | "init"> & { readonly init?: Expr }): Block {
  const { name, axes, bindings, buffer, indices, init = null, value } = fields;
  return { kind: "block", name, axes, bindings, buffer, indices, init, value };
}
