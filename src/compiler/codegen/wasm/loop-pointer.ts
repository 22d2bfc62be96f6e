// Pointers: i32 locals that hold linear forms of loop variables. Each belongs to the innermost loop that it depends on;
// that loop sets it up from the pointers of the loops around it and steps it by a constant.
//
//   loop j { loop k { … 256·j + 32·k … } }
//   →  q = 0; loop j { p = q; loop k { … p …; p += 32 }; q += 256 }

import { type Affine, type AffineTerm, atomAffine, coefficientOf, termsKey, withoutVar } from "../../ir/affine.ts";
import type { Expr } from "../../ir/loop-ir.ts";
import { someExpr } from "../../ir/visit.ts";
import { flatMap } from "../../support/flat-map.ts";
import { invariant } from "../../support/invariant.ts";
import type { Context, LoopScope, Pointer } from "./context.ts";
import { branchIf, type Code, get, i32, plain, set, tee } from "./instruction.ts";
import { scalar } from "./operand.ts";
import { scheduledLoop } from "./register-tile.ts";

/** A pointer that a constant step keeps up to date. */
interface Stepped extends Pointer {
  readonly step: number;
  /** Pushes its value at the start of the loop. */
  readonly start: Code;
}

/** Pushes a linear form whose atoms depend on loop variables only. */
export function pointerCode(context: Context, affine: Affine): Code {
  const { terms, constant } = affine;
  const scope = context.loops.findLast(({ name }) => terms.some(({ atom }) => mentions(atom, name)));
  // Terms without a variable are constants that were not folded.
  if (!scope) return sumCode(context, [i32(constant)], terms);
  return [get(pointerOf(context, scope, affine).local)];
}

/** Adds terms to what `start` pushes (nothing: to zero). */
export function sumCode(context: Context, start: Code, terms: readonly AffineTerm[]): Code {
  const code = [...start];
  for (const term of terms) {
    const isFirst = code.length === 0;
    code.push(...termCode(context, term));
    if (!isFirst) code.push(plain("i32.add"));
  }
  return code;
}

function termCode(context: Context, { coefficient, atom }: AffineTerm): Code {
  const value = atom.kind === "var" ? pointerCode(context, atomAffine(atom)) : scalar(context, atom);
  return coefficient === 1 ? value : [...value, i32(coefficient), plain("i32.mul")];
}

const mentions = (expr: Expr, name: string): boolean =>
  someExpr(expr, (each) => each.kind === "var" && each.name === name);

function pointerOf(context: Context, scope: LoopScope, affine: Affine): Pointer {
  const key = `${termsKey(affine.terms)} ${affine.constant}`;
  const known = scope.pointers.get(key);
  if (known) return known;
  const pointer = { local: context.locals.fresh("i32"), affine };
  scope.pointers.set(key, pointer);
  return pointer;
}

/**
 * Code of the loop that the innermost scope stands for, around a body that was made in it: sets its pointers up, steps
 * them, and leaves when one of them has reached its end. Closes the scope.
 */
export function closeLoop(context: Context, scope: LoopScope, body: Code): Code {
  const computed = computedPointers(context, scope);
  const pointers = [...scope.pointers.values()].filter(({ affine }) => isLinear(affine, scope.name));
  if (pointers.length === 0) pointers.push(pointerOf(context, scope, variableOf(scope)));
  context.loops.pop();
  const stepped = pointers.map((pointer) => asStepped(context, pointer, scope.name));
  const exit = loopExit(context, scope, stepped);
  const others = stepped.filter(({ local }) => local !== exit.pointer.local);
  const steps = flatMap(others, ({ local, step }) => [...advance(local, step), set(local)]);
  for (const { local } of scope.pointers.values()) context.locals.release(local);
  const whole = scheduledLoop([...computed, ...body, ...steps, ...exit.test], context.locals.types);
  return [...flatMap(stepped, ({ start, local }) => [...start, set(local)]), ...exit.setUp, ...whole];
}

/** Closes the scope like `closeLoop`, for a loop that runs once: its variable is the constant 0, so that nothing has to be stepped. */
export function closeSingle(context: Context, scope: LoopScope, body: Code): Code {
  const computed = computedPointers(context, scope);
  context.loops.pop();
  for (const { local } of scope.pointers.values()) context.locals.release(local);
  return [...computed, ...body];
}

/** Closes the scope like `closeLoop`, for code that gets the variable as a parameter of its function: pointers are set up from it. */
export function closeParameter(context: Context, scope: LoopScope, parameter: number, body: Code): Code {
  const computed = computedPointers(context, scope);
  const pointers = [...scope.pointers.values()].filter(({ affine }) => isLinear(affine, scope.name));
  context.loops.pop();
  const setUp = flatMap(pointers, (pointer) => {
    const { start, step, local } = asStepped(context, pointer, scope.name);
    return [...start, get(parameter), i32(step), plain("i32.mul"), plain("i32.add"), set(local)];
  });
  for (const { local } of scope.pointers.values()) context.locals.release(local);
  return [...setUp, ...computed, ...body];
}

const variableOf = ({ name }: LoopScope): Affine => atomAffine({ kind: "var", dtype: "i32", name });

/** Says whether the form has no mod, floorDiv and the like of the variable. */
const isLinear = ({ terms }: Affine, name: string): boolean =>
  terms.every(({ atom }) => atom.kind === "var" || !mentions(atom, name));

/** Sets the pointers that no step can keep up to date, at the top of the body. May ask for more pointers of the scope. */
function computedPointers(context: Context, scope: LoopScope): Code {
  const code: Instructions = [];
  // Without pointers for the sums within the terms, so that no computed pointer waits for another.
  const inner = { ...context, hoisting: false };
  for (const { local, affine } of scope.pointers.values()) {
    if (isLinear(affine, scope.name)) continue;
    const isOpaque = (atom: Expr) => atom.kind !== "var" && mentions(atom, scope.name);
    const linear = { terms: affine.terms.filter(({ atom }) => !isOpaque(atom)), constant: affine.constant };
    const isZero = linear.terms.length === 0 && linear.constant === 0;
    const opaque = affine.terms.filter(({ atom }) => isOpaque(atom));
    code.push(...sumCode(inner, isZero ? [] : pointerCode(context, linear), opaque), set(local));
  }
  return code;
}

type Instructions = Code[number][];

/** Pointer with its step. The scope is closed: what is left of the form without its variable belongs to the loops around it. */
function asStepped(context: Context, { local, affine }: Pointer, name: string): Stepped {
  const start = pointerCode(context, withoutVar(affine, name));
  return { local, affine, start, step: coefficientOf(affine, name) };
}

const advance = (local: number, step: number): Code => [get(local), i32(step), plain("i32.add")];

/** Test that ends the loop. A pointer that starts at a constant ends at one; without such a one the end takes a local. */
function loopExit(context: Context, { name, extent }: LoopScope, stepped: readonly Stepped[]) {
  const pointer = stepped.find(({ start }) => constantOf(start) !== null) ?? stepped[0];
  invariant(pointer, `loop ${name} has no counter`);
  const { local, step, start } = pointer;
  const distance = Math.imul(step, extent);
  const first = constantOf(start);
  const test = (end: Code): Code => [...advance(local, step), tee(local), ...end, plain("i32.ne"), branchIf(0)];
  if (first !== null) return { pointer, setUp: [], test: test([i32(first + distance)]) };
  const end = context.locals.fresh("i32");
  return { pointer, setUp: [...advance(local, distance), set(end)], test: test([get(end)]) };
}

function constantOf(code: Code): number | null {
  const [only] = code;
  return code.length === 1 && only?.kind === "number" ? only.value : null;
}
