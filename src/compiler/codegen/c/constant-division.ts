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
    const sign = element === "u8" ? null : `n >> ${elementBytes[computed] * 8 - 1}`;
    const quotient = sign ? `((n ^ (${sign})) / ${divisor}) ^ (${sign})` : `n / ${divisor}`;
    const result = op === "floorDiv" ? quotient : `n - (${own})(${quotient}) * ${divisor}`;
    const narrow = isByte ? resizeLanes(prelude, `(${result})`, "i16", element, lanes) : `(${type})(${result})`;
    return `${inline} ${type} ${name}(${type} a) {\n  const ${own} n = ${operand};\n  return ${narrow};\n}`;
  });
}
