// What a flat function means, lane by lane in plain JS: the oracle of the random tests. i64 is left out.

import type { BinaryOp, DType, TypedArray } from "../../../../src/compiler/index.ts";
import { applyBinary, applyUnary, castValue, decode, encode } from "../../../../src/compiler/index.ts";
import type { Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";

type Lanes = readonly number[];

interface State {
  readonly dtypes: ReadonlyMap<string, DType>;
  readonly arrays: ReadonlyMap<string, TypedArray>;
  readonly vars: Map<string, number>;
  readonly locals: Map<string, Lanes>;
}

/** Runs the function on arrays by name of buffer. */
export function runFlat(func: LoopFunc, arrays: ReadonlyMap<string, TypedArray>): void {
  const dtypes = new Map(func.buffers.map(({ name, dtype }) => [name, dtype]));
  execute({ dtypes, arrays, vars: new Map(), locals: new Map() }, func.body);
}

function execute(state: State, stmt: Stmt): void {
  switch (stmt.kind) {
    case "for":
      for (let value = 0; value < stmt.extent; value++) {
        state.vars.set(stmt.name, value);
        execute(state, stmt.body);
      }
      return;
    case "seq":
      for (const each of stmt.body) execute(state, each);
      return;
    case "if": {
      const branch = value(state, stmt.condition)[0] ? stmt.then : stmt.else;
      if (branch) execute(state, branch);
      return;
    }
    case "store": {
      const dtype = state.dtypes.get(stmt.buffer)!;
      const values = value(state, stmt.value);
      const active = stmt.active ? value(state, stmt.active)[0]! : values.length;
      value(state, stmt.indices[0]!).forEach((at, lane) => {
        if (lane < active) state.arrays.get(stmt.buffer)![at] = encode(dtype, values[lane]!);
      });
      return;
    }
    case "define":
    case "assign":
      state.locals.set(stmt.name, value(state, stmt.value));
      return;
    case "block":
      throw new Error("no blocks in the flat form");
  }
}

function value(state: State, expr: Expr): Lanes {
  const of = (operand: Expr) => value(state, operand);
  switch (expr.kind) {
    case "const":
      return [expr.value];
    case "var":
      return [state.vars.get(expr.name)!];
    case "local":
      return state.locals.get(expr.name)!;
    case "load": {
      const active = expr.active ? of(expr.active)[0]! : Number.POSITIVE_INFINITY;
      const read = (at: number) => decode(expr.dtype as DType, state.arrays.get(expr.buffer)![at]!);
      return of(expr.indices[0]!).map((at, lane) => (lane < active ? read(at) : 0));
    }
    case "unary":
      return of(expr.operand).map((x) => applyUnary(expr.op, expr.dtype as DType, x));
    case "binary": {
      const right = of(expr.right);
      const dtype = expr.left.dtype as DType;
      return of(expr.left).map((x, lane) => applyBinary(expr.op as BinaryOp, dtype, x, right[lane]!));
    }
    case "select": {
      const condition = of(expr.condition);
      if (condition.length === 1) return of(condition[0] ? expr.then : expr.else);
      const [then, otherwise] = [of(expr.then), of(expr.else)];
      return condition.map((chosen, lane) => (chosen ? then : otherwise)[lane]!);
    }
    case "cast":
      return of(expr.operand).map((x) => castValue(x, expr.operand.dtype as DType, expr.dtype as DType));
    case "bitcast":
      return of(expr.operand).map(expr.dtype === "f32" ? floatOf : bitsOf);
    case "ramp":
      return Array.from({ length: expr.lanes }, (_, lane) => (of(expr.base)[0]! + lane * expr.stride) | 0);
    case "broadcast":
      return new Array<number>(expr.lanes).fill(of(expr.value)[0]!);
    case "lanes":
      return expr.elements.map((element) => of(element)[0]!);
  }
}

const floatOf = (bits: number): number => new Float32Array(Int32Array.of(bits).buffer)[0]!;
const bitsOf = (float: number): number => new Int32Array(Float32Array.of(float).buffer)[0]!;
