// Scalar loop-IR expression → the register or the constant that has its value.

import { isBounded } from "../../../affine/interval.ts";
import { type Affine, toAffine } from "../../../ir/affine.ts";
import { boundsOf } from "../../../ir/bounds.ts";
import type { Binary, Bitcast, Expr, IrType, Load, Select, Shuffle } from "../../../ir/loop-ir.ts";
import { gridAxes, groupAxes } from "../../../ir/thread-axes.ts";
import { someExpr } from "../../../ir/visit.ts";
import { isPowerOfTwo, product } from "../../../support/integer-math.ts";
import { invariant } from "../../../support/invariant.ts";
import { warpLanes } from "../../../target/shuffles.ts";
import { cannotRun } from "../../cannot.ts";
import { bytesOfElement } from "../plan/elements.ts";
import { type Address, addressOf, sumOf } from "./address.ts";
import { binaryOf, castOf, chosen, quotientOf, unaryOf } from "./arithmetic.ts";
import type { PtxContext } from "./context.ts";
import { constant, type Value } from "./emitter.ts";
import { constantOf, inRegister, int, kindOf } from "./registers.ts";
import { loadVector } from "./vectors.ts";

export function evaluate(expr: Expr, context: PtxContext): Value {
  if (expr.dtype !== "i32") return nodeOf(expr, context);
  const sum = toAffine(expr);
  return isAtom(sum)
    ? nodeOf(sum.terms[0]!.atom, context)
    : sumOf(sum, (atom) => nodeOf(atom, context), context.emitter);
}

const isAtom = ({ terms, constant }: Affine): boolean =>
  constant === 0 && terms.length === 1 && terms[0]!.coefficient === 1;

/** Value of an expression that is no sum. */
function nodeOf(expr: Expr, context: PtxContext): Value {
  switch (expr.kind) {
    case "const":
      return expr.dtype === "bool" ? predicate(expr.value, context) : constantOf(expr.dtype, expr.value);
    case "var":
      return variableNamed(expr.name, context);
    case "local":
      return localNamed(expr.name, context);
    case "load":
      return loadOf(expr, context);
    case "unary":
      return unaryOf(expr, evaluate(expr.operand, context), context);
    case "binary":
      return binaryNode(expr, context);
    case "select":
      return selectOf(expr, context);
    case "cast":
      return castOf(expr.operand.dtype, expr.dtype, evaluate(expr.operand, context), context);
    case "bitcast":
      return bitcastOf(expr, context);
    case "shuffle":
      return shuffleOf(expr, context);
    default:
      throw cannotRun("cuda", `there is no code for ${expr.kind}`, "this schedule does not fit the machine");
  }
}

/** The predicate that is always, or never, true. */
const predicate = (value: number, { emitter }: PtxContext): Value =>
  emitter.compute("setp.ne.s32", "pred", [int(value), int(0)], false);

const coordinates: ReadonlyMap<string, string> = new Map([
  ...groupAxes.map((axis) => [axis, axis.replace("threadIdx", "%tid")] as const),
  ...gridAxes.map((axis) => [axis, axis.replace("blockIdx", "%ctaid")] as const),
]);

function variableNamed(name: string, { variables, emitter }: PtxContext): Value {
  const special = coordinates.get(name);
  if (special !== undefined) return emitter.compute("mov.u32", "b32", [constant("b32", special)], true);
  const value = variables.get(name);
  invariant(value, `no loop ${name} is open`);
  return value;
}

export function localNamed(name: string, { locals }: Pick<PtxContext, "locals">): Value {
  const value = locals.get(name);
  invariant(value, `${name} is not defined`);
  return value;
}

/** Products are fused with what they are added to where that is allowed. */
function binaryNode(expr: Binary, context: PtxContext): Value {
  const { op, left, right } = expr;
  const { dtype } = left;
  if (op === "add" && context.isFast && (dtype === "f32" || dtype === "f64")) {
    const [factors, other] = isProduct(left) ? [left, right] : [right, left];
    if (isProduct(factors)) {
      const operands = [factors.left, factors.right, other].map((operand) => evaluate(operand, context));
      return context.emitter.compute(`fma.rn.${dtype}`, dtype, operands, false);
    }
  }
  const divided = divisionOf(expr, context) ?? reciprocalOf(expr, context);
  return divided ?? binaryOf(op, dtype, evaluate(left, context), evaluate(right, context), context);
}

const isProduct = (expr: Expr): expr is Binary => expr.kind === "binary" && expr.op === "mul";

/** A division by a constant of a number that is never negative; null: it may be, or there is a shorter way. */
function divisionOf({ op, left, right }: Binary, context: PtxContext): Value | null {
  if ((op !== "floorDiv" && op !== "mod") || left.dtype !== "i32") return null;
  if (right.kind !== "const" || right.value < 2 || isPowerOfTwo(right.value)) return null;
  const bounds = boundsOf(left, context.ranges);
  if (!isBounded(bounds) || bounds.min < 0) return null;
  const dividend = evaluate(left, context);
  const quotient = quotientOf(dividend, right.value, context.emitter);
  if (op === "floorDiv") return quotient;
  return context.emitter.compute("mad.lo.s32", "b32", [quotient, int(-right.value), dividend], true);
}

/** A division that has a shorter way with the same rounding: of 1, or by a power of two. Null: it has none. */
function reciprocalOf({ op, left, right }: Binary, context: PtxContext): Value | null {
  const { dtype } = left;
  if (op !== "div" || (dtype !== "f32" && dtype !== "f64")) return null;
  if (left.kind === "const" && left.value === 1) {
    return context.emitter.compute(`rcp.rn.${dtype}`, dtype, [evaluate(right, context)], false);
  }
  if (right.kind !== "const") return null;
  const log = Math.log2(Math.abs(right.value));
  if (!Number.isInteger(log) || Math.abs(log) > mostExponent) return null;
  return binaryOf("mul", dtype, evaluate(left, context), constantOf(dtype, 1 / right.value), context);
}

/** Exponents of powers of two whose reciprocals have all digits. */
const mostExponent = 126;

/** Only the chosen side may read memory. */
function selectOf({ condition, then: yes, else: no }: Select, context: PtxContext): Value {
  const test = evaluate(condition, context);
  // An element that is not loaded is 0.
  if (yes.kind === "load" && no.kind === "const" && no.value === 0) return loadWhere(test, yes, context);
  const isNot = (): Value => context.emitter.compute("not.pred", "pred", [test], false);
  const sideOf = (side: Expr, guard: () => Value): Value =>
    readsMemory(side) ? loadWhere(guard(), side, context) : evaluate(side, context);
  return chosen(
    test,
    sideOf(yes, () => test),
    sideOf(no, isNot),
    context.emitter,
  );
}

/** Value of an expression that reads memory under a predicate alone. */
const loadWhere = (guard: Value, expr: Expr, context: PtxContext): Value =>
  evaluate(expr, { ...context, guard: both(context.guard, guard, context) });

const readsMemory = (expr: Expr): boolean => someExpr(expr, ({ kind }) => kind === "load");

/** Predicate that both of two are true; null: the first is. */
export const both = (first: Value | null, second: Value, { emitter }: PtxContext): Value =>
  first ? emitter.compute("and.pred", "pred", [first, second], false) : second;

function bitcastOf({ dtype, operand }: Bitcast, context: PtxContext): Value {
  const { emitter } = context;
  const value = inRegister(evaluate(operand, context), emitter);
  return emitter.compute(bytesOfElement(dtype) === 8 ? "mov.b64" : "mov.b32", kindOf[dtype], [value], false);
}

// ── memory ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Address of an element of a buffer. */
export function elementAddress(buffer: string, index: Expr, dtype: IrType, context: PtxContext): Address {
  // An index is known whether the element is read or not, but for what it reads itself.
  return addressOf(
    context.placeOf(buffer),
    index,
    {
      bytes: bytesOfElement(dtype),
      swizzle: context.facts.swizzled.get(buffer),
      evaluate: (atom) => nodeOf(atom, context),
    },
    context,
  );
}

/** Name of the instruction that loads from a buffer, without its type. */
export function loadFrom(buffer: string, { placeOf }: PtxContext): string {
  const { space, isConstant } = placeOf(buffer);
  return `ld.${space}${isConstant ? ".nc" : ""}`;
}

function loadOf(load: Load, context: PtxContext): Value {
  const name = context.loaded.get(load);
  if (name !== undefined) return localNamed(name, context);
  const { buffer, dtype } = load;
  const address = elementAddress(buffer, load.indices[0]!, dtype, context);
  return loadVector(loadFrom(buffer, context), dtype, 1, address, context)[0]!;
}

// ── shuffles ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The lanes of a warp hand each other words of 32 bits. */
function shuffleOf({ operand, mask }: Shuffle, context: PtxContext): Value {
  const { emitter, plan } = context;
  const own = evaluate(operand, context);
  const threads = `0x${(2 ** Math.min(product(plan.launch.group), warpLanes) - 1).toString(16)}`;
  const handed = (word: Value): Value => {
    const result = emitter.register("b32");
    emitter.lines(`shfl.sync.bfly.b32 ${result.text}, ${word.text}, ${mask}, 31, ${threads};`);
    return result;
  };
  const convert = (name: string, kind: Value["kind"], value: Value): Value =>
    emitter.compute(name, kind, [value], false);
  if (own.kind === "b64" || own.kind === "f64") {
    const words = [emitter.register("b32"), emitter.register("b32")];
    emitter.lines(`mov.b64 {${words.map(({ text }) => text).join(", ")}}, ${own.text};`);
    const result = emitter.register(own.kind);
    emitter.lines(`mov.b64 ${result.text}, {${words.map((word) => handed(word).text).join(", ")}};`);
    return result;
  }
  if (own.kind === "b16") return convert("cvt.u16.u32", "b16", handed(convert("cvt.u32.u16", "b32", own)));
  if (own.kind === "f32") return convert("mov.b32", "f32", handed(convert("mov.b32", "b32", own)));
  if (own.kind === "pred") {
    const word = handed(chosen(own, int(1), int(0), emitter));
    return emitter.compute("setp.ne.s32", "pred", [word, int(0)], false);
  }
  return handed(own);
}
