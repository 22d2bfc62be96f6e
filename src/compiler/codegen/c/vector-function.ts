// Helper functions on whole pieces: splat, select, min and max, per-lane fallbacks. Each takes the prelude that it is
// written into and gives the name to call.

import { type Element, elementBytes, maskElement, typeName } from "./element.ts";
import type { Prelude } from "./prelude.ts";

/** Declaration specifiers of every helper: calls to it are inlined, and an unused one leaves no code. */
export const inline = "static inline __attribute__((always_inline))";

const isFloat = (element: Element): boolean => element === "f32" || element === "f64";

/** `name(a) = {a, a, …}`: what compilers turn into a broadcast, or into the broadcast operand of an instruction. */
export function splat(prelude: Prelude, element: Element, lanes: number): string {
  const type = prelude.type(element, lanes);
  const name = `uk_splat_${element}x${lanes}`;
  return prelude.define(name, () => {
    const all = Array(lanes).fill("a").join(", ");
    return `${inline} ${type} ${name}(${typeName(element, 1)} a) { return (${type}){${all}}; }`;
  });
}

/** `name(m, a, b)`: the lanes of `a` where the mask is -1, of `b` where it is 0. Compilers know the idiom as a blend. */
export function select(prelude: Prelude, element: Element, lanes: number): string {
  const type = prelude.type(element, lanes);
  const mask = prelude.type(maskElement(element), lanes);
  const name = `uk_select_${element}x${lanes}`;
  return prelude.define(
    name,
    () =>
      `${inline} ${type} ${name}(${mask} m, ${type} a, ${type} b) { return (${type})((m & (${mask})a) | (~m & (${mask})b)); }`,
  );
}

/** `name(a, b)`: `b < a ? b : a` for min, `a < b ? b : a` for max: minps and maxps with `b` as first operand. */
export function extremum(prelude: Prelude, op: "min" | "max", element: Element, lanes: number): string {
  const name = `uk_${op}_${element}${lanes === 1 ? "" : `x${lanes}`}`;
  const test = op === "min" ? "b < a" : "a < b";
  const type = prelude.type(element, lanes);
  return prelude.define(name, () => {
    if (lanes === 1) return `${inline} ${type} ${name}(${type} a, ${type} b) { return ${test} ? b : a; }`;
    const mask = prelude.type(maskElement(element), lanes);
    const blend = `${select(prelude, element, lanes)}((${mask})(${test}), b, a)`;
    return vectorFunction(
      `${type} ${name}(${type} a, ${type} b)`,
      extremumInstruction(prelude, op, element, lanes),
      blend,
    );
  });
}

/** One instruction: compilers do not find that of floats in the blend, as it is not commutative, nor gcc that of integers. */
const extremumInstruction = (
  prelude: Prelude,
  op: "min" | "max",
  element: Element,
  lanes: number,
): GuardedExpression | null =>
  isFloat(element) ? floatExtremum(prelude, op, element, lanes) : integerExtremum(prelude, op, element, lanes);

function floatExtremum(prelude: Prelude, op: "min" | "max", element: Element, lanes: number): GuardedExpression | null {
  const builtin = `__builtin_ia32_${op}${element === "f32" ? "ps" : "pd"}`;
  // ARM's own give a NaN for any NaN.
  return instructionOfSize(prelude, elementBytes[element] * lanes, {
    16: { when: "defined(__SSE2__)", text: `${builtin}(b, a)` },
    32: { when: "defined(__AVX__)", text: `${builtin}256(b, a)` },
    64: { when: "defined(__AVX512F__) && !defined(__clang__)", text: `${builtin}512_mask(b, a, a, -1, 4)` },
  });
}

const integerSuffix: Readonly<Partial<Record<Element, string>>> = { u8: "ub", i8: "sb", i16: "sw", i32: "sd" };

function integerExtremum(
  prelude: Prelude,
  op: "min" | "max",
  element: Element,
  lanes: number,
): GuardedExpression | null {
  const suffix = integerSuffix[element];
  const bytes = elementBytes[element] * lanes;
  if (!suffix || bytes < 16) return null;
  const [type, operand] = [prelude.type(element, lanes), operandType(prelude, element, lanes)];
  const call = (size: string, rest = ""): string =>
    `(${type})__builtin_ia32_p${op}${suffix}${size}((${operand})a, (${operand})b${rest})`;
  const x86 = {
    16: { when: gccWith("__SSE4_1__"), text: call("128") },
    32: { when: gccWith("__AVX2__"), text: call("256") },
    64: { when: gccWith("__AVX512BW__"), text: call("512_mask", `, (${operand})a, -1`) },
  };
  const [sign, at] = [element.startsWith("u") ? "u" : "s", neonLanes(element)];
  return instructionOfSize(prelude, bytes, x86, () =>
    neon(type, `${sign}${op} %0.${at}, %1.${at}, %2.${at}`, "a", "b"),
  );
}

/** Condition for gcc with a feature: clang has other builtins, and mostly needs none. */
export const gccWith = (feature: string): string => `defined(${feature}) && !defined(__clang__)`;

/** Vector type that builtins take for integers: bytes as `char`, others as signed ones. */
export const operandType = (prelude: Prelude, element: Element, lanes: number): string =>
  elementBytes[element] === 1 ? plainChars(prelude, lanes) : prelude.type(maskElement(element), lanes);

/** Vector type that builtins for bytes take: neither signed nor unsigned char is `char`. */
export const plainChars = (prelude: Prelude, lanes: number): string =>
  prelude.define(`uk_charx${lanes}`, () => `typedef char uk_charx${lanes} __attribute__((vector_size(${lanes})));`);

/** An expression that compiles only under a preprocessor condition. */
export interface GuardedExpression {
  readonly when: string;
  readonly text: string;
}

/** The instruction for vectors of `bytes` bytes: x86's, by size, or ARM's, whose vectors have 16; null where the machine has none. */
export function instructionOfSize(
  { architecture }: Prelude,
  bytes: number,
  x86: Readonly<Record<16 | 32 | 64, GuardedExpression>>,
  arm: () => GuardedExpression | null = () => null,
): GuardedExpression | null {
  if (architecture === "arm64") return bytes === 16 ? arm() : null;
  return bytes === 16 || bytes === 32 || bytes === 64 ? x86[bytes] : null;
}

/**
 * An instruction of ARM, as compilers name their builtins differently: `neon("uk_f32x4", "fsqrt %0.4s, %1.4s", "a")`. Its result is %0, its
 * operands %1 and on.
 */
export const neon = (result: string, instruction: string, ...operands: readonly string[]): GuardedExpression => ({
  when: "defined(__aarch64__)",
  text: `({ ${result} r; __asm__("${instruction}" : "=w"(r) : ${operands.map((it) => `"w"(${it})`).join(", ")}); r; })`,
});

/** How ARM's assembler names the lanes of 16 bytes: 4s. */
export const neonLanes = (element: Element): string =>
  `${16 / elementBytes[element]}${{ 1: "b", 2: "h", 4: "s", 8: "d" }[elementBytes[element]]}`;

/** A function that returns the value of `instruction` where it compiles, else of `fallback`. */
export function vectorFunction(signature: string, instruction: GuardedExpression | null, fallback: string): string {
  if (!instruction) return `${inline} ${signature} { return ${fallback}; }`;
  const body = `#if ${instruction.when}\n  return ${instruction.text};\n#else\n  return ${fallback};\n#endif`;
  return `${inline} ${signature} {\n${body}\n}`;
}

/** `name(a)`: the scalar function `scalar` lane by lane. */
export function perLane(
  prelude: Prelude,
  name: string,
  scalar: string,
  from: Element,
  to: Element,
  lanes: number,
): string {
  return prelude.define(name, () => {
    const result = prelude.type(to, lanes);
    const each = Array.from({ length: lanes }, (_, lane) => `${scalar}(a[${lane}])`).join(", ");
    return `${inline} ${result} ${name}(${prelude.type(from, lanes)} a) { return (${result}){${each}}; }`;
  });
}

/** `name(a, b)`: the scalar function `scalar` lane by lane. */
export function perLane2(prelude: Prelude, name: string, scalar: string, element: Element, lanes: number): string {
  return prelude.define(name, () => {
    const type = prelude.type(element, lanes);
    const each = Array.from({ length: lanes }, (_, lane) => `${scalar}(a[${lane}], b[${lane}])`).join(", ");
    return `${inline} ${type} ${name}(${type} a, ${type} b) { return (${type}){${each}}; }`;
  });
}
