// Short constructors of flat loop IR, so that a test reads like the loop nest that it means.

import type { DType } from "../../../../src/compiler/index.ts";
import type { Buffer, Expr, IrBinaryOp, IrType, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { type BufferPlace, bufferIn } from "../../../support/buffer-in.ts";

export const num = (value: number, dtype: IrType = "i32"): Expr => ({ kind: "const", dtype, value });
export const v = (name: string): Expr => ({ kind: "var", dtype: "i32", name });
export const local = (name: string, dtype: IrType, lanes = 1): Expr => ({ kind: "local", dtype, lanes, name });
export const splat = (value: Expr, lanes: number): Expr => ({ kind: "broadcast", dtype: value.dtype, value, lanes });
export const ramp = (base: Expr, lanes: number, stride = 1): Expr => ({
  kind: "ramp",
  dtype: "i32",
  base,
  stride,
  lanes,
});

export const load = (buffer: string, dtype: IrType, index: Expr, active: Expr | null = null): Expr => ({
  kind: "load",
  dtype,
  buffer,
  indices: [index],
  active,
});

const boolOps: readonly string[] = ["eq", "ne", "lt", "le", "gt", "ge", "and", "or"];

export const bin = (op: IrBinaryOp, left: Expr, right: Expr): Expr => ({
  kind: "binary",
  dtype: boolOps.includes(op) ? "bool" : left.dtype,
  op,
  left,
  right,
});

export const add = (a: Expr, b: Expr): Expr => bin("add", a, b);
export const mul = (a: Expr, b: Expr): Expr => bin("mul", a, b);
export const cast = (operand: Expr, dtype: IrType): Expr => ({ kind: "cast", dtype, operand });

export const store = (buffer: string, index: Expr, value: Expr, active: Expr | null = null): Stmt => ({
  kind: "store",
  buffer,
  indices: [index],
  value,
  active,
});

export const seq = (...body: readonly Stmt[]): Stmt => ({ kind: "seq", body });

export const loop = (name: string, extent: number, ...body: readonly Stmt[]): Stmt => ({
  kind: "for",
  name,
  extent,
  mark: "serial",
  tail: "guard",
  annotations: {},
  body: seq(...body),
});

export const define = (name: string, value: Expr, lanes = 1): Stmt => ({
  kind: "define",
  name,
  dtype: value.dtype,
  lanes,
  memory: "register",
  value,
});

export const assign = (name: string, value: Expr): Stmt => ({ kind: "assign", name, value });

export const buffer = (name: string, dtype: DType, length: number, place: BufferPlace): Buffer =>
  bufferIn(place, { name, dtype, shape: [length] });

export const func = (name: string, buffers: readonly Buffer[], ...body: readonly Stmt[]): LoopFunc => ({
  name,
  buffers,
  body: seq(...body),
});
