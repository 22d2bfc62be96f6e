// Vectors of integers made wider or narrower → C text. Compilers differ in what they see in a conversion: clang finds the
// instruction for any two widths, gcc 12 takes some apart lane by lane. Both know the steps from one width to the next.
//
//   u8x16 → i32x16    uk_i32_u8x16(a)      vpmovzxbd by gcc's builtin, for others a convertvector to i16 and one to i32

import { cName, type Element, elementBytes } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { type GuardedExpression, gccWith, instructionOfSize, operandType, vectorFunction } from "./vector-function.ts";

/** The integer piece `text` with lanes of `to`: narrower ones wrap, wider ones keep the value. */
export function resizeLanes(prelude: Prelude, text: string, from: Element, to: Element, lanes: number): string {
  if (elementBytes[from] === elementBytes[to]) return `((${prelude.type(to, lanes)})${text})`;
  const name = `uk_${to}_${from}x${lanes}`;
  const signature = `${prelude.type(to, lanes)} ${name}(${prelude.type(from, lanes)} a)`;
  prelude.define(name, () => {
    const instruction = (elementBytes[from] < elementBytes[to] ? widening : narrowing)(prelude, from, to, lanes);
    return vectorFunction(signature, instruction, stepwise(prelude, "a", from, to, lanes));
  });
  return `${name}(${text})`;
}

/** An operation on i16 lanes for one of fewer than 16 bytes, which gcc 12 multiplies and shifts lane by lane. */
export function onWords(
  prelude: Prelude,
  operands: readonly string[],
  element: Element,
  lanes: number,
  operation: (...operands: readonly string[]) => string,
): string {
  if (elementBytes[element] > 1 || lanes === 1 || lanes >= 16) return operation(...operands);
  const words = operands.map((operand) => resizeLanes(prelude, operand, element, "i16", lanes));
  return resizeLanes(prelude, operation(...words), "i16", element, lanes);
}

/** Widens or narrows in steps, each of which doubles or halves the width of the lanes. */
function stepwise(prelude: Prelude, text: string, from: Element, to: Element, lanes: number): string {
  const [have, want] = [elementBytes[from], elementBytes[to]];
  const next = have < want ? have * 2 : have / 2;
  if (next === want) return `__builtin_convertvector(${text}, ${prelude.type(to, lanes)})`;
  const step = signedOfBytes[next]!;
  return stepwise(prelude, stepwise(prelude, text, from, step, lanes), step, to, lanes);
}

const signedOfBytes: Readonly<Partial<Record<number, Element>>> = { 1: "i8", 2: "i16", 4: "i32", 8: "i64" };
const letterOfBytes: Readonly<Partial<Record<number, string>>> = { 1: "b", 2: "w", 4: "d", 8: "q" };

const lettersOf = (from: Element, to: Element): string =>
  `${letterOfBytes[elementBytes[from]]}${letterOfBytes[elementBytes[to]]}`;

/**
 * vpmovsx and vpmovzx. A vector made of less than 16 bytes is hidden from gcc, which would merge it with a blend under
 * a mask into one instruction that reads memory, and then fail for want of registers ("unable to generate reloads", gcc
 * 12).
 */
function widening(prelude: Prelude, from: Element, to: Element, lanes: number): GuardedExpression | null {
  const bytes = Math.max(16, elementBytes[to] * lanes);
  const builtin = `__builtin_ia32_pmov${from === "u8" || from === "u16" ? "z" : "s"}x${lettersOf(from, to)}`;
  const source = asOperand(prelude, from, lanes);
  const all = prelude.type(to, bytes / elementBytes[to]);
  const isPart = elementBytes[from] * lanes < 16;
  const opaque = (call: string): string => `({ ${all} r = (${all})${call}; __asm__("" : "+v"(r)); r; })`;
  const result = (call: string): string => leadingLanes(prelude, isPart ? opaque(call) : call, to, lanes);
  return instructionOfSize(prelude, bytes, {
    16: { when: gccWith("__SSE4_1__"), text: result(`${builtin}128(${source})`) },
    32: { when: gccWith("__AVX2__"), text: result(`${builtin}256(${source})`) },
    64: { when: gccWith("__AVX512BW__"), text: result(`${builtin}512_mask(${source}, (${all}){0}, -1)`) },
  });
}

/** Instruction that narrows lanes, of AVX-512: vpmovdb and its like. */
function narrowing(prelude: Prelude, from: Element, to: Element, lanes: number): GuardedExpression | null {
  const bytes = Math.max(16, elementBytes[from] * lanes);
  const source = asOperand(prelude, from, lanes);
  const none = `(${operandType(prelude, to, Math.max(16 / elementBytes[to], lanes))}){0}`;
  const instruction = (when: string): GuardedExpression => {
    const call = `__builtin_ia32_pmov${lettersOf(from, to)}${bytes * 8}_mask(${source}, ${none}, -1)`;
    return { when: gccWith(when), text: leadingLanes(prelude, call, to, lanes) };
  };
  const small = instruction("__AVX512VL__");
  return instructionOfSize(prelude, bytes, { 16: small, 32: small, 64: instruction("__AVX512BW__") });
}

/** The integer piece `a` as an operand of a builtin: at least 16 bytes, of which the first are its lanes. */
export function asOperand(prelude: Prelude, from: Element, lanes: number): string {
  const bytes = elementBytes[from] * lanes;
  const type = operandType(prelude, from, Math.max(16, bytes) / elementBytes[from]);
  const whole = signedOfBytes[bytes];
  return whole ? `(${type})(${prelude.type(whole, 16 / bytes)}){(${cName[whole]})a}` : `(${type})a`;
}

/** A vector of less than 16 bytes as the beginning of one that has so many. */
export function shortOperand(prelude: Prelude, element: Element, lanes: number, text: string): string {
  const whole = signedOfBytes[elementBytes[element] * lanes]!;
  const all = prelude.type(whole, 16 / elementBytes[whole]);
  return `(${prelude.type(element, 16 / elementBytes[element])})(${all}){(${cName[whole]})${text}}`;
}

/** The integer piece in what builtins give: at least 16 bytes, of which the first are its lanes. */
export function leadingLanes(prelude: Prelude, call: string, to: Element, lanes: number): string {
  const [type, whole] = [prelude.type(to, lanes), signedOfBytes[elementBytes[to] * lanes]];
  return whole ? `(${type})((${prelude.type(whole, 16 / elementBytes[whole])})${call})[0]` : `(${type})${call}`;
}
