// Random flat functions that touch no element outside their buffers: loops around stores of random expressions.

import fc, { type GeneratorValue } from "fast-check";
import { type DType, dtypes } from "../../../../src/compiler/index.ts";
import type { Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import * as ir from "./build.ts";

/** Elements of every buffer; indices are brought below by construction. */
export const bufferLength = 96;

interface Scope {
  readonly gen: GeneratorValue;
  /** Types of the buffers. */
  readonly types: readonly DType[];
  /** Defined vectors and scalars that may be read here. */
  readonly locals: readonly { readonly name: string; readonly dtype: DType; readonly lanes: number }[];
}

const pick = <T>({ gen }: Scope, ...items: readonly T[]): T => gen(fc.constantFrom, ...items);
const integer = ({ gen }: Scope, min: number, max: number): number => gen(fc.integer, { min, max });
const half = (dtype: DType): boolean => dtype === "f16" || dtype === "bf16";
const float = (dtype: DType): boolean => dtype === "f32" || dtype === "f64";

/** @param types with f32, i32 and bool; without f64 there are no integers of 64 bits either */
export function randomFlat(gen: GeneratorValue, types: readonly DType[] = dtypes): LoopFunc {
  const scope: Scope = { gen, types, locals: [] };
  // A loop that runs once is no loop in WASM: its variable is a constant.
  const [rows, columns] = [pick(scope, 3, 3, 2, 1), pick(scope, 4, 4, 3, 1)];
  const body = ir.loop("i", rows, ir.loop("j", columns, ...statements(scope, integer(scope, 1, 3))));
  const start = ir.loop("l", bufferLength, ...types.map((dtype) => copy(dtype, ir.v("l"))));
  const buffers = types.flatMap((dtype) => [
    ir.buffer(`in_${dtype}`, dtype, bufferLength, "input"),
    ir.buffer(`out_${dtype}`, dtype, bufferLength, "output"),
  ]);
  const sorted = [...buffers].sort((a, b) => a.role.localeCompare(b.role));
  return ir.func("random", sorted, start, body);
}

/** Gives every element of an output a value, so that all of them may be read. */
const copy = (dtype: DType, at: Expr): Stmt => ir.store(`out_${dtype}`, at, ir.load(`in_${dtype}`, dtype, at));

function statements(scope: Scope, count: number): Stmt[] {
  const lanes = pick(scope, 1, 2, 3, 4, 4, 5, 8, 16);
  const dtype = pick(scope, ...scope.types);
  const name = `t${scope.locals.length}`;
  const inner: Scope = { ...scope, locals: [...scope.locals, { name, dtype, lanes }] };
  const define = ir.define(name, expression(scope, dtype, lanes, 2), lanes);
  const update = pick(scope, true, false) ? [ir.assign(name, expression(inner, dtype, lanes, 2))] : [];
  return [define, ...update, ...Array.from({ length: count }, () => store(inner))];
}

function store(scope: Scope): Stmt {
  const dtype = pick(scope, ...scope.types);
  const lanes = pick(scope, 1, 1, 2, 3, 4, 4, 5, 7, 8, 16, 20);
  const stmt = ir.store(`out_${dtype}`, index(scope, lanes), expression(scope, dtype, lanes, 3), active(scope, lanes));
  if (pick(scope, true, false, false)) return stmt;
  return { kind: "if", condition: expression(scope, "bool", 1, 2), then: stmt, else: null };
}

function active(scope: Scope, lanes: number): Expr | null {
  switch (pick(scope, "none", "none", "const", "dynamic")) {
    case "const":
      return ir.num(integer(scope, -1, lanes + 1));
    case "dynamic":
      return ir.bin("sub", ir.num(integer(scope, 0, lanes + 2)), ir.mul(ir.v("j"), ir.num(2)));
    default:
      return null;
  }
}

/** Index within 0 … bufferLength for all lanes. */
function index(scope: Scope, lanes: number): Expr {
  const stride = pick(scope, 1, 1, 1, 2, 3, -1);
  const base = scalarIndex(scope, stride < 0 ? lanes : 0);
  return lanes === 1 ? base : ir.ramp(base, lanes, stride);
}

/** At most 36. */
function scalarIndex(scope: Scope, least: number): Expr {
  const [i, j] = [ir.v("i"), ir.v("j")];
  const plain = ir.add(ir.mul(i, ir.num(4)), j);
  switch (pick(scope, "affine", "row", "negative", "mod", "div")) {
    case "affine":
      return ir.add(plain, ir.num(least));
    case "row":
      return ir.add(ir.mul(i, ir.num(5)), ir.num(least + 2));
    case "negative":
      return ir.bin("sub", ir.num(least + 11), plain);
    case "mod":
      return ir.add(ir.mul(ir.bin("mod", plain, ir.num(pick(scope, 3, 4))), ir.num(2)), ir.add(i, ir.num(least)));
    case "div":
      return ir.add(ir.bin("floorDiv", ir.bin("sub", plain, ir.num(6)), ir.num(pick(scope, 2, 3))), ir.num(least + 3));
  }
}

function expression(scope: Scope, dtype: DType, lanes: number, depth: number): Expr {
  if (depth === 0) return leaf(scope, dtype, lanes);
  const of = (type: DType, width = lanes) => expression(scope, type, width, depth - 1);
  if (pick(scope, false, false, false, false, true)) return throughBits(scope, dtype, lanes, depth);
  switch (
    pick(scope, "leaf", "op", "op", "op", "cast", "cast", "select", "lanes", "interleave", "bits", "pick", "fold")
  ) {
    case "op":
      return half(dtype) ? leaf(scope, dtype, lanes) : operation(scope, dtype, of);
    case "cast":
      return ir.cast(of(pick(scope, ...scope.types)), dtype);
    case "select":
      return {
        kind: "select",
        dtype,
        condition: of("bool", pick(scope, 1, lanes)),
        then: of(dtype),
        else: of(dtype),
      };
    case "lanes":
      if (lanes === 1) return leaf(scope, dtype, lanes);
      return { kind: "lanes", dtype, elements: Array.from({ length: lanes }, () => leaf(scope, dtype, 1)) };
    case "interleave": {
      const turns = pick(scope, 2, 4, 8);
      if (dtype === "bool" || lanes < 2 * turns || lanes % turns !== 0) return leaf(scope, dtype, lanes);
      return { kind: "interleave", dtype, parts: Array.from({ length: turns }, () => of(dtype, lanes / turns)) };
    }
    case "pick": {
      const width = pick(scope, 2, 4, lanes);
      if (dtype === "bool" || lanes < 2) return leaf(scope, dtype, lanes);
      const parts = Array.from({ length: pick(scope, 1, 2, 3) }, () => of(dtype, width));
      const all = parts.length * width;
      return { kind: "pick", dtype, parts, picks: Array.from({ length: lanes }, () => integer(scope, 0, all - 1)) };
    }
    case "fold": {
      const width = pick(scope, 2, 4, 8, 16);
      if (dtype === "bool" || half(dtype) || lanes > 1) return leaf(scope, dtype, lanes);
      return { kind: "fold", dtype, op: pick(scope, "add", "mul", "min", "max"), operand: of(dtype, width) };
    }
    case "bits":
      if (dtype !== "i32") return leaf(scope, dtype, lanes);
      return { kind: "bitcast", dtype, operand: loadInput(scope, "f32", lanes) };
    case "leaf":
      return leaf(scope, dtype, lanes);
  }
}

/** Integers wider than any type of the language, and bit operations. */
function throughBits(scope: Scope, dtype: DType, lanes: number, depth: number): Expr {
  if (dtype === "i32") return bitOperation(scope, "i32", lanes, expression(scope, "i32", lanes, depth - 1));
  if (!scope.types.includes("f64")) return leaf(scope, dtype, lanes);
  const wide = bitOperation(scope, "i64", lanes, wideLeaf(scope, lanes));
  if (dtype === "f64" && pick(scope, true, false)) return { kind: "bitcast", dtype, operand: wide };
  if (dtype === "bool") return ir.bin(pick(scope, "eq", "ne", "lt", "le", "gt", "ge"), wide, wideLeaf(scope, lanes));
  return ir.cast(wide, dtype);
}

function wideLeaf(scope: Scope, lanes: number): Expr {
  if (pick(scope, true, false)) return { kind: "bitcast", dtype: "i64", operand: loadInput(scope, "f64", lanes) };
  const from = pick(scope, ...scope.types);
  return ir.cast(leaf(scope, from, lanes), "i64");
}

function bitOperation(scope: Scope, dtype: "i32" | "i64", lanes: number, left: Expr): Expr {
  const op = pick(scope, "add", "sub", "mul", "shl", "shr", "bitAnd", "bitOr", "bitXor");
  if (op === "shl" || op === "shr") return ir.bin(op, left, vectorOf(ir.num(pick(scope, 0, 1, 5, 31), dtype), lanes));
  const right = dtype === "i64" ? wideLeaf(scope, lanes) : leaf(scope, "i32", lanes);
  return ir.bin(op, left, right);
}

function operation(scope: Scope, dtype: DType, of: (type: DType) => Expr): Expr {
  if (dtype === "bool") {
    const logic = pick(scope, "and", "or", "not", "compare");
    if (logic === "not") return { kind: "unary", dtype, op: "not", operand: of("bool") };
    if (logic !== "compare") return ir.bin(logic, of("bool"), of("bool"));
    const type = pick(scope, ...scope.types.filter((each) => !half(each)));
    return ir.bin(pick(scope, "eq", "ne", "lt", "le", "gt", "ge"), of(type), of(type));
  }
  if (pick(scope, false, false, true)) {
    const op = float(dtype)
      ? pick(scope, "neg", "abs", "floor", "ceil", "round", "sqrt", "rsqrt")
      : pick(scope, "neg", "abs");
    return { kind: "unary", dtype, op, operand: of(dtype) };
  }
  const own = float(dtype) ? (["div", "div"] as const) : (["floorDiv", "mod"] as const);
  return ir.bin(pick(scope, "add", "sub", "mul", "min", "max", ...own), of(dtype), of(dtype));
}

function leaf(scope: Scope, dtype: DType, lanes: number): Expr {
  const known = scope.locals.filter((each) => each.dtype === dtype && each.lanes === lanes);
  switch (pick(scope, "load", "load", "local", "const", "splat", "var")) {
    case "local":
      return known.length > 0 ? ir.local(pick(scope, ...known).name, dtype, lanes) : load(scope, dtype, lanes);
    case "const":
      return vectorOf(ir.num(constant(scope, dtype), dtype), lanes);
    case "splat":
      return vectorOf(load(scope, dtype, 1), lanes);
    case "var":
      if (dtype !== "i32") return load(scope, dtype, lanes);
      return lanes === 1 ? scalarIndex(scope, 0) : ir.ramp(scalarIndex(scope, 0), lanes, integer(scope, -3, 3));
    case "load":
      return load(scope, dtype, lanes);
  }
}

const vectorOf = (value: Expr, lanes: number): Expr => (lanes === 1 ? value : ir.splat(value, lanes));

function load(scope: Scope, dtype: DType, lanes: number): Expr {
  const buffer = pick(scope, `in_${dtype}`, `in_${dtype}`, `out_${dtype}`);
  return ir.load(buffer, dtype, index(scope, lanes), active(scope, lanes));
}

/** Loads an input whose bits may be looked at: an engine chooses the bits of a NaN that it computes, and inputs have none. */
const loadInput = (scope: Scope, dtype: "f32" | "f64", lanes: number): Expr =>
  ir.load(`in_${dtype}`, dtype, index(scope, lanes), active(scope, lanes));

function constant(scope: Scope, dtype: DType): number {
  if (float(dtype)) return pick(scope, 0, -0, 1, -1.5, 0.125, 300, Number.POSITIVE_INFINITY, 2 ** 40);
  if (half(dtype)) return pick(scope, 0, 1, -2.5, 96);
  if (dtype === "bool") return pick(scope, 0, 1);
  return pick(scope, 0, 1, 2, 3, 7, 8, 100, ...(dtype === "u8" ? [255] : [-1, -8, -128]));
}
