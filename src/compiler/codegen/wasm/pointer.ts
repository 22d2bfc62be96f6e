// Addresses of buffer elements. The variable part of an address is an i32 local that belongs to the innermost loop it
// depends on: that loop sets it up from the pointers of the loops around it and steps it by a constant, so no access
// costs more than a local.get. What is constant goes into the immediate of the access.
//
//   for k { … A[k*4 + 2] … B[j*64 + k*8] … }   with A at 0, B at 4096, f32
//   →  pa = 0; pb = 256*j (a pointer of loop j); loop { … load pa+8 … load pb+4096 … pa += 16; pb += 32 }

import { byteSize } from "../../expr/dtype.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import {
  type Affine,
  add,
  affineKey,
  affineOf,
  constantAffine,
  type ExtentOf,
  pick,
  scale,
  type Term,
  withConstant,
} from "./affine-index.ts";
import { type Context, loopOf } from "./context.ts";
import { branchIf, type Code, get, i32, plain, set, tee } from "./instruction.ts";
import { lowerBound } from "./interval.ts";
import { scheduledLoop } from "./register-tile.ts";
import { scalar } from "./scalar.ts";

/** An open loop and the pointers that it maintains. */
export interface LoopScope {
  readonly name: string;
  readonly extent: number;
  /** By the key of the affine form that a pointer holds. */
  readonly pointers: Map<string, Pointer>;
}

interface Pointer {
  readonly local: number;
  readonly affine: Affine;
}

export interface Address {
  /** Pushes an i32. */
  readonly base: Code;
  readonly offset: number;
}

export const extentIn =
  (context: Context): ExtentOf =>
  (name) =>
    loopOf(context, name).extent;

/** The address of `buffer[index + ahead]`. */
export function addressOf(context: Context, buffer: string, index: Expr, ahead: number): Address {
  const placed = context.layout.buffers.get(buffer);
  invariant(placed, `no buffer ${buffer}`);
  const extentOf = extentIn(context);
  const elements = add(affineOf(index, extentOf), constantAffine(ahead));
  const bytes = add(scale(elements, byteSize[placed.dtype]), constantAffine(placed.offset));
  const low = lowerBound(bytes, extentOf);
  // The immediate is added without wrapping: it may take the constant only where the rest cannot be negative.
  const foldable = low !== null && low >= 0 && bytes.constant >= 0;
  const base = integerCode(context, foldable ? withConstant(bytes, 0) : bytes);
  return { base, offset: foldable ? bytes.constant : 0 };
}

/** Runs `use` with an address that is cheap to push again. */
export function withAddress(context: Context, address: Address, use: (address: Address) => Code): Code {
  if (address.base.length === 1) return use(address);
  return context.locals.with("i32", (temporary) => [
    ...address.base,
    set(temporary),
    ...use({ base: [get(temporary)], offset: address.offset }),
  ]);
}

/** Pushes an affine value: a pointer for what depends on loops only, the other terms computed on the spot. */
export function integerCode(context: Context, affine: Affine): Code {
  const pointer = pick(affine, isHoistable);
  const rest = [...affine.terms.values()].filter(({ expr }) => !isHoistable(expr));
  const hoisted = withConstant(pointer, affine.constant);
  if (rest.length === 0) return pointerCode(context, hoisted);
  const start = isZero(hoisted) ? [] : pointerCode(context, hoisted);
  return sumCode(context, start, rest);
}

const isZero = ({ constant, terms }: Affine): boolean => (constant | 0) === 0 && terms.size === 0;

/** Adds terms to what `start` pushes (nothing: to zero). */
function sumCode(context: Context, start: Code, terms: readonly Term[]): Code {
  return terms.reduce<Code>((sum, term) => {
    const code = termCode(context, term);
    return sum.length === 0 ? code : [...sum, ...code, plain("i32.add")];
  }, start);
}

function termCode(context: Context, { coefficient, expr }: Term): Code {
  const value = scalar(context, expr);
  return coefficient === 1 ? value : [...value, i32(coefficient), plain("i32.mul")];
}

/** Whether an expression depends on loop variables alone and cannot trap, so that it can be computed early. */
function isHoistable(expr: Expr): boolean {
  if (expr.kind === "var" || expr.kind === "const") return true;
  if (expr.kind === "unary" || expr.kind === "cast") return expr.dtype === "i32" && isHoistable(expr.operand);
  if (expr.kind === "select") return isHoistable(expr.condition) && isHoistable(expr.then) && isHoistable(expr.else);
  return expr.kind === "binary" && isHoistable(expr.left) && isHoistable(expr.right);
}

function mentions(expr: Expr, name: string): boolean {
  if (expr.kind === "var") return expr.name === name;
  if (expr.kind === "unary" || expr.kind === "cast") return mentions(expr.operand, name);
  if (expr.kind === "select") return [expr.condition, expr.then, expr.else].some((each) => mentions(each, name));
  return expr.kind === "binary" && (mentions(expr.left, name) || mentions(expr.right, name));
}

function pointerCode(context: Context, affine: Affine): Code {
  const terms = [...affine.terms.values()];
  const scope = context.loops.findLast(({ name }) => terms.some(({ expr }) => mentions(expr, name)));
  // Terms without a variable are constants that nobody folded.
  if (!scope) return sumCode(context, [i32(affine.constant)], terms);
  return [get(pointerOf(context, scope, affine).local)];
}

function pointerOf(context: Context, scope: LoopScope, affine: Affine): Pointer {
  const key = affineKey(affine);
  const known = scope.pointers.get(key);
  if (known) return known;
  const pointer = { local: context.locals.fresh("i32"), affine };
  scope.pointers.set(key, pointer);
  return pointer;
}

/** The affine form of the loop's own variable. */
export const variableAffine = (name: string): Affine => ({
  constant: 0,
  terms: new Map([[name, { coefficient: 1, expr: { kind: "var", dtype: "i32", name } }]]),
});

/**
 * Code of the loop that the innermost scope stands for, around a body that was made in it: sets its pointers up, steps
 * them, and leaves when one of them has reached its end. Closes the scope.
 */
export function closeLoop(context: Context, scope: LoopScope, body: Code): Code {
  const computed = computedPointers(context, scope);
  if (steppedPointers(scope).length === 0) pointerOf(context, scope, variableAffine(scope.name));
  context.loops.pop();
  const stepped = steppedPointers(scope);
  const starts = stepped.map(({ affine }) => pointerCode(context, restOf(affine, scope.name)));
  const setUp = stepped.flatMap(({ local }, index) => [...(starts[index] ?? []), set(local)]);
  const exit = loopExit(context, scope, stepped, starts);
  const step = stepped.filter((each) => each !== exit.pointer).flatMap((each) => stepCode(each, scope.name));
  for (const { local } of scope.pointers.values()) context.locals.release(local);
  return [
    ...setUp,
    ...exit.setUp,
    ...scheduledLoop([...computed, ...body, ...step, ...exit.test], context.locals.types),
  ];
}

/** The pointers that a constant step keeps up to date, as against those with mod, floorDiv and the like of the variable. */
function steppedPointers(scope: LoopScope): readonly Pointer[] {
  return [...scope.pointers.values()].filter(({ affine }) => isLinear(affine, scope.name));
}

function isLinear({ terms }: Affine, name: string): boolean {
  return [...terms.values()].every(({ expr }) => expr.kind === "var" || !mentions(expr, name));
}

/** Sets the pointers that no step can keep up to date, at the top of the body; may ask for more pointers of the scope. */
function computedPointers(context: Context, scope: LoopScope): Code {
  const code: Code[] = [];
  for (const { local, affine } of scope.pointers.values()) {
    if (isLinear(affine, scope.name)) continue;
    const isOpaque = (expr: Expr) => expr.kind !== "var" && mentions(expr, scope.name);
    const linear = withConstant(
      pick(affine, (expr) => !isOpaque(expr)),
      affine.constant,
    );
    const opaque = [...pick(affine, isOpaque).terms.values()];
    const start = isZero(linear) ? [] : pointerCode(context, linear);
    // Without pointers of their own in the terms, so that no computed pointer waits for another.
    code.push([...sumCode({ ...context, hoisting: false }, start, opaque), set(local)]);
  }
  return code.flat();
}

const restOf = (affine: Affine, name: string): Affine =>
  withConstant(
    pick(affine, (expr) => !(expr.kind === "var" && expr.name === name)),
    affine.constant,
  );

const stepOf = ({ affine }: Pointer, name: string): number => affine.terms.get(name)?.coefficient ?? 0;

function stepCode(pointer: Pointer, name: string): Code {
  return [get(pointer.local), i32(stepOf(pointer, name)), plain("i32.add"), set(pointer.local)];
}

/** A pointer that starts at a constant ends at one; without such a one the end takes a local. */
function loopExit(context: Context, scope: LoopScope, stepped: readonly Pointer[], starts: readonly Code[]) {
  const constant = starts.findIndex(([first], index) => starts[index]?.length === 1 && first?.kind === "number");
  const chosen = Math.max(constant, 0);
  const pointer = stepped[chosen];
  invariant(pointer, `loop ${scope.name} has no counter`);
  const step = stepOf(pointer, scope.name);
  const distance = Math.imul(step, scope.extent);
  const advance: Code = [get(pointer.local), i32(step), plain("i32.add"), tee(pointer.local)];
  const start = starts[chosen]?.[0];
  if (constant >= 0 && start?.kind === "number") {
    const end = i32(start.value + distance);
    return { pointer, setUp: [], test: [...advance, end, plain("i32.ne"), branchIf(0)] };
  }
  const end = context.locals.fresh("i32");
  const setUp: Code = [get(pointer.local), i32(distance), plain("i32.add"), set(end)];
  return { pointer, setUp, test: [...advance, get(end), plain("i32.ne"), branchIf(0)] };
}
