// Helper functions from floats to integers: truncate towards zero, saturate, NaN gives 0.

import { cName, type Element, elementBytes, maskElement } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { inline, perLane, select, splat } from "./vector-function.ts";

/** Smallest and largest value, and the first float above the largest: 2^31 for i32. Exact in f32 and f64. */
const limits: Readonly<Partial<Record<Element, { least: string; most: string; above: string; below: string }>>> = {
  i64: { least: "(-9223372036854775807LL - 1)", most: "9223372036854775807LL", above: "0x1p63", below: "-0x1p63" },
  i32: { least: "(-2147483647 - 1)", most: "2147483647", above: "0x1p31", below: "-0x1p31" },
  i16: { least: "-32768", most: "32767", above: "32768.0", below: "-32768.0" },
  i8: { least: "-128", most: "127", above: "128.0", below: "-128.0" },
  u8: { least: "0", most: "255", above: "256.0", below: "0.0" },
};

/** `name(a)`: the f32 or f64 piece `a` as integers `to`. */
export function floatToInteger(prelude: Prelude, from: Element, to: Element, lanes: number): string {
  const scalar = scalarSaturating(prelude, from, to);
  if (lanes === 1) return scalar;
  const name = `${scalar}x${lanes}`;
  // Conversions to i64 are one instruction only with AVX-512DQ, and rare: lane by lane. Narrow results go through i32.
  if (to === "i64") return perLane(prelude, name, scalar, from, to, lanes);
  return prelude.define(name, () => vectorSaturating(prelude, name, from, to, lanes));
}

function scalarSaturating(prelude: Prelude, from: Element, to: Element): string {
  const { least, most, above, below } = limits[to]!;
  const [name, type] = [`uk_${to}_${from}`, cName[to]];
  const lines = [
    `if (a >= ${literal(above, from)}) return ${most};`,
    `if (a < ${literal(below, from)}) return ${least};`,
    "if (a != a) return 0;",
    `${type} r = (${type})a;`,
    // Without signed zeros in mind gcc makes a truncation of (float)(int)a, where -0.5 would become -0.
    '__asm__("" : "+r"(r));',
    "return r;",
  ];
  return prelude.define(name, () => `${inline} ${type} ${name}(${cName[from]} a) {\n  ${lines.join("\n  ")}\n}`);
}

/** The conversion of a lane out of range is undefined, so that each is 0 before it, and replaced afterwards. */
function vectorSaturating(prelude: Prelude, name: string, from: Element, to: Element, lanes: number): string {
  const { least, most, above, below } = limits[to]!;
  const [source, wide, result] = [prelude.type(from, lanes), prelude.type("i32", lanes), prelude.type(to, lanes)];
  const own = prelude.type(maskElement(from), lanes);
  const [all, choose, allInt] = [
    splat(prelude, from, lanes),
    select(prelude, "i32", lanes),
    splat(prelude, "i32", lanes),
  ];
  const mask = (test: string): string =>
    elementBytes[from] === 4 ? `(${wide})(${test})` : `__builtin_convertvector((${own})(${test}), ${wide})`;
  const lines = [
    `${own} fits = (a >= ${all}(${literal(below, from)})) & (a < ${all}(${literal(above, from)}));`,
    `${wide} r = __builtin_convertvector((${source})((${own})a & fits), ${wide});`,
    `r = ${choose}(${mask(`a >= ${all}(${literal(above, from)})`)}, ${allInt}(${most}), r);`,
    `r = ${choose}(${mask(`a < ${all}(${literal(below, from)})`)}, ${allInt}(${least}), r);`,
    to === "i32" ? "return r;" : `return __builtin_convertvector(r, ${result});`,
  ];
  return `${inline} ${result} ${name}(${source} a) {\n  ${lines.join("\n  ")}\n}`;
}

const literal = (value: string, element: Element): string => (element === "f32" ? `${value}f` : value);
