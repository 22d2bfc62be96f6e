// Loop-IR expression → a closure that evaluates it: `compileScalar` for one lane, `compileVector` for several.

import { invariant } from "../support/invariant.ts";
import { isLargeExpr } from "./graph.ts";
import { commonBinary } from "./interpret-binary.ts";
import { compileIntrinsic } from "./interpret-intrinsic.ts";
import { type Lane, type Memory, offsetBy, offsetOf, read } from "./interpret-memory.ts";
import type { Cell, ScalarFn, Scope, VectorFn } from "./interpret-scope.ts";
import { onceOf, runOf, sharedIn } from "./interpret-shared.ts";
import { watchAccess } from "./interpret-watch.ts";
import type { Expr, LaneFold, Load, Local, Select } from "./loop-ir.ts";
import { binaryOn, bitcastOn, castOn, constValue, type Scalar, unaryOn } from "./scalar-ops.ts";
import { lanesOf } from "./visit.ts";

const lift1 =
  (f: (x: Scalar) => Scalar) =>
  (x: Lane): Lane =>
    x === null ? null : f(x);

const lift2 =
  (f: (a: Scalar, b: Scalar) => Scalar) =>
  (a: Lane, b: Lane): Lane =>
    a === null || b === null ? null : f(a, b);

/** A number that decides something: a condition, an index, a count of lanes. */
export function decisive(value: Lane, what: string): number {
  invariant(typeof value === "number", `${what} was made of an element that was never written`);
  return value;
}

export function cellOf(scope: Scope, name: string): Cell {
  const cell = scope.cells.get(name);
  invariant(cell, `${name} is read where it is not defined`);
  return cell;
}

/** Name of the cell of another thread in the scope of the one that asks for its value. */
export const shuffledName = (operand: Expr, mask: number): string => `${(operand as Local).name} ^ ${mask}`;

export function memoryOf(scope: Scope, name: string, rank: number): Memory {
  const memory = scope.memories.get(name);
  invariant(memory, `there is no buffer ${name}`);
  const { shape } = memory.buffer;
  invariant(rank === shape.length, `${name} is accessed with ${rank} indices, it has ${shape.length} dimensions`);
  return memory;
}

/** The element-wise operators, which scalars and vectors share. */
function elementwise(expr: Expr): ((...lanes: Lane[]) => Lane) | null {
  switch (expr.kind) {
    case "unary":
      return lift1(unaryOn(expr.op, expr.operand.dtype));
    case "cast":
      return lift1(castOn(expr.operand.dtype, expr.dtype));
    case "bitcast":
      return lift1(bitcastOn(expr.operand.dtype, expr.dtype));
    case "binary":
      return lift2(binaryOn(expr.op, expr.left.dtype)) as (...lanes: Lane[]) => Lane;
    default:
      return null;
  }
}

export const compileScalar = (expr: Expr, scope: Scope): ScalarFn => closureOf(expr, scope, makeScalar);

/** Compiles to a vector of lanes. In a large expression a scalar is computed once, even if several vectors are made of it. */
export const compileVector = (expr: Expr, scope: Scope): VectorFn =>
  lanesOf(expr) === 1 && (scope.shared || isLargeExpr(expr))
    ? compileLanes([expr], scope)
    : closureOf(expr, scope, makeVector);

type Make<T> = (expr: Expr, scope: Scope) => () => T;

function closureOf<T>(expr: Expr, scope: Scope, make: Make<T>): () => T {
  const { shared } = scope;
  if (shared) return onceOf(expr, shared, () => make(expr, scope));
  if (!isLargeExpr(expr)) return make(expr, scope);
  const inner: Scope = { ...scope, shared: sharedIn(expr) };
  // Nodes are visited from the leaves up, so that a deep expression needs no deep recursion.
  for (const node of inner.shared!.order) {
    if (lanesOf(node) === 1) closureOf(node, inner, makeScalar);
    else closureOf(node, inner, makeVector);
  }
  return runOf(closureOf(expr, inner, make), inner.shared!);
}

function makeScalar(expr: Expr, scope: Scope): ScalarFn {
  const apply = elementwise(expr);
  switch (expr.kind) {
    case "const": {
      const value = constValue(expr.dtype, expr.value);
      return () => value;
    }
    case "var":
    case "local": {
      const cell = cellOf(scope, expr.name);
      return () => cell.value as Lane;
    }
    case "shuffle": {
      const cell = cellOf(scope, shuffledName(expr.operand, expr.mask));
      return () => cell.value as Lane;
    }
    case "load":
      return compileScalarLoad(expr, scope);
    case "unary":
    case "cast":
    case "bitcast": {
      const operand = compileScalar(expr.operand, scope);
      return () => apply!(operand());
    }
    case "binary": {
      const [left, right] = [compileScalar(expr.left, scope), compileScalar(expr.right, scope)];
      const common = commonBinary(expr.op, expr.left.dtype, left, right);
      return common ?? (() => apply!(left(), right()));
    }
    case "select": {
      const condition = compileScalar(expr.condition, scope);
      const [yes, no] = [compileScalar(expr.then, scope), compileScalar(expr.else, scope)];
      return () => (decisive(condition(), "a condition") !== 0 ? yes() : no());
    }
    case "fold":
      return compileFold(expr, scope);
    case "ramp":
    case "broadcast":
    case "lanes":
    case "interleave":
    case "pick":
    case "intrinsic": {
      const vector = compileVector(expr, scope);
      return () => vector()[0]!;
    }
  }
}

function compileScalarLoad({ buffer, indices, active }: Load, scope: Scope): ScalarFn {
  const memory = memoryOf(scope, buffer, indices.length);
  const at = indices.map((index) => compileScalar(index, scope));
  const seen = watchAccess(scope, memory, false);
  const element = seen
    ? (): Lane => read(memory, seen(at.map((index) => index())))
    : (): Lane => read(memory, offsetBy(memory, at));
  if (!active) return element;
  const count = compileScalar(active, scope);
  return () => (decisive(count(), "a count of lanes") > 0 ? element() : 0);
}

function makeVector(expr: Expr, scope: Scope): VectorFn {
  const lanes = lanesOf(expr);
  const apply = elementwise(expr);
  switch (expr.kind) {
    case "const":
    case "var":
    case "shuffle":
    case "fold":
      return compileLanes([expr], scope);
    case "local": {
      const cell = cellOf(scope, expr.name);
      return () => (Array.isArray(cell.value) ? cell.value : [cell.value as Lane]);
    }
    case "load":
      return lanes === 1 ? compileLanes([expr], scope) : compileVectorLoad(expr, lanes, scope);
    case "unary":
    case "cast":
    case "bitcast": {
      const operand = compileVector(expr.operand, scope);
      return () => operand().map((x) => apply!(x));
    }
    case "binary": {
      const [left, right] = [compileVector(expr.left, scope), compileVector(expr.right, scope)];
      return () => {
        const b = right();
        return left().map((a, lane) => apply!(a, b[lane]!));
      };
    }
    case "select":
      return compileVectorSelect(expr, scope);
    case "ramp": {
      const base = compileVector(expr.base, scope);
      const width = lanesOf(expr.base);
      return () => {
        const starts = base();
        return Array.from({ length: lanes }, (_, lane) => {
          const start = starts[lane % width]!;
          return start === null ? null : (Number(start) + Math.floor(lane / width) * expr.stride) | 0;
        });
      };
    }
    case "broadcast": {
      const value = compileVector(expr.value, scope);
      return () => {
        const once = value();
        return Array.from({ length: lanes }, (_, lane) => once[lane % once.length]!);
      };
    }
    case "lanes":
      return compileLanes(expr.elements, scope);
    case "interleave": {
      const parts = expr.parts.map((part) => compileVector(part, scope));
      return () => {
        const each = parts.map((part) => part());
        return Array.from({ length: lanes }, (_, lane) => each[lane % each.length]![Math.floor(lane / each.length)]!);
      };
    }
    case "pick": {
      const parts = expr.parts.map((part) => compileVector(part, scope));
      return () => {
        const all = parts.flatMap((part) => part());
        return expr.picks.map((pick) => all[pick]!);
      };
    }
    case "intrinsic":
      return compileIntrinsic(
        expr,
        expr.operands.map((operand) => compileVector(operand, scope)),
        compileScalar,
      );
  }
}

/** Combines each lane of the lower half with that of the upper half, until one lane is left. */
function compileFold({ op, operand }: LaneFold, scope: Scope): ScalarFn {
  const vector = compileVector(operand, scope);
  const combine = lift2(binaryOn(op, operand.dtype));
  return () => {
    let lanes = vector();
    for (let half = lanes.length / 2; half >= 1; half /= 2) {
      const all = lanes;
      lanes = all.slice(0, half).map((lane, at) => combine(lane, all[half + at]!));
    }
    return lanes[0]!;
  };
}

function compileLanes(elements: readonly Expr[], scope: Scope): VectorFn {
  const each = elements.map((element) => compileScalar(element, scope));
  return () => each.map((element) => element());
}

function compileVectorLoad({ buffer, indices, active }: Load, lanes: number, scope: Scope): VectorFn {
  const memory = memoryOf(scope, buffer, indices.length);
  const points = compilePoints(indices, scope);
  const count = active && compileScalar(active, scope);
  const offset = watchAccess(scope, memory, false) ?? ((point) => offsetOf(memory, point));
  return () => {
    const limit = count ? decisive(count(), "a count of lanes") : lanes;
    return points().map((point, lane) => (lane < limit ? read(memory, offset(point)) : 0));
  };
}

/** The indices of each lane of an access, whose last index may be a vector. */
export function compilePoints(indices: readonly Expr[], scope: Scope): () => readonly (readonly Lane[])[] {
  const leading = indices.slice(0, -1).map((index) => compileScalar(index, scope));
  const last = indices.at(-1);
  if (!last) return () => [[]];
  const ends = compileVector(last, scope);
  return () => {
    const start = leading.map((index) => index());
    return ends().map((end) => [...start, end]);
  };
}

function compileVectorSelect(expr: Select, scope: Scope): VectorFn {
  const [yes, no] = [compileVector(expr.then, scope), compileVector(expr.else, scope)];
  if (lanesOf(expr.condition) === 1) {
    const condition = compileScalar(expr.condition, scope);
    return () => (decisive(condition(), "a condition") !== 0 ? yes() : no());
  }
  const conditions = compileVector(expr.condition, scope);
  return () => {
    const [a, b] = [yes(), no()];
    // A lane without a condition has no value; it may be surplus.
    return conditions().map((each, lane) => (each === null ? null : each !== 0 ? a[lane]! : b[lane]!));
  };
}
