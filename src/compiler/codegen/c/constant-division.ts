// floorDiv and mod by a positive constant → C text without branches: shifts and masks for powers of two, which round down
// by themselves, else the division that compilers make a multiplication of, where negative lanes go through their
// complement: ⌊a / c⌋ = ~⌊~a / c⌋.

import type { Expr } from "../../ir/loop-ir.ts";
import { isPowerOfTwo } from "../../support/integer-math.ts";
import type { Value } from "./context.ts";
import { cName, type Element, elementBytes } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { onWords, resizeLanes } from "./resize-lanes.ts";
import { inline } from "./vector-function.ts";

export type DivisionOp = "floorDiv" | "mod";

/** The constant that every lane is divided by; null if there is none, or none above 0. */
export function constantDivisor(right: Expr): number | null {
  if (right.kind === "broadcast") return constantDivisor(right.value);
  return right.kind === "const" && right.value > 0 ? right.value : null;
}

export function divideByConstant(
  prelude: Prelude,
  op: DivisionOp,
  { text, element }: Value,
  divisor: number,
  lanes: number,
): Value {
  if (!isPowerOfTwo(divisor)) return { text: `${division(prelude, op, element, divisor, lanes)}(${text})`, element };
  if (op === "mod") return { text: narrowed(`(${text} & ${divisor - 1})`, element, lanes), element };
  const shifted = onWords(prelude, [text], element, lanes, (value) => `(${value} >> ${Math.log2(divisor)})`);
  return { text: narrowed(shifted, element, lanes), element };
}

/** Brings a scalar back from int, in which it is computed. */
const narrowed = (text: string, element: Element, lanes: number): string =>
  lanes === 1 ? `(${cName[element]})${text}` : text;

/** The name of a function of `a`. Bytes have no products of their own: they are divided as i16. */
function division(prelude: Prelude, op: DivisionOp, element: Element, divisor: number, lanes: number): string {
  const name = `uk_${op}_${element}${lanes === 1 ? "" : `x${lanes}`}_by_${divisor}`;
  const type = prelude.type(element, lanes);
  return prelude.define(name, () => {
    const isByte = lanes > 1 && elementBytes[element] === 1;
    const [computed, own] = isByte ? (["i16", prelude.type("i16", lanes)] as const) : ([element, type] as const);
    const operand = isByte ? resizeLanes(prelude, "a", element, "i16", lanes) : "a";
    const bits = elementBytes[computed] * 8;
    const sign = element === "u8" ? null : `n >> ${bits - 1}`;
    const isWhole = sign !== null && isProduct(divisor, bits);
    const dividend = isWhole ? `(whole)(n ^ (${sign}))` : `(n ^ (${sign}))`;
    const quotient = sign ? `(${own})(${dividend} / ${divisor}) ^ (${sign})` : `n / ${divisor}`;
    const result = op === "floorDiv" ? quotient : `n - (${own})(${quotient}) * ${divisor}`;
    const narrow = isByte ? resizeLanes(prelude, `(${result})`, "i16", element, lanes) : `(${type})(${result})`;
    const whole = isWhole ? `  typedef ${wholeType(bits, lanes)};\n` : "";
    return `${inline} ${type} ${name}(${type} a) {\n${whole}  const ${own} n = ${operand};\n  return ${narrow};\n}`;
  });
}

/** Declares `whole`, numbers that are never negative. */
const wholeType = (bits: number, lanes: number): string =>
  `unsigned ${bits === 16 ? "short" : "int"} whole${lanes === 1 ? "" : ` __attribute__((vector_size(${(bits / 8) * lanes})))`}`;

/**
 * Says whether a division of unsigned integers is the upper half of a product and a shift. Others take as many instructions as signed
 * ones. After Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (PLDI 1994).
 */
function isProduct(divisor: number, bits: number): boolean {
  for (let shift = 0; ; shift++) {
    const power = 1n << BigInt(bits + shift);
    const factor = (power + BigInt(divisor) - 1n) / BigInt(divisor);
    if (factor >> BigInt(bits) > 0n) return false;
    if (factor * BigInt(divisor) - power <= 1n << BigInt(shift)) return true;
  }
}
