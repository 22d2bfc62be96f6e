// Helper functions from floats to integers: truncate towards zero, saturate, NaN gives 0.

import { cName, type Element, maskElement } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { resizeLanes } from "./resize-lanes.ts";
import { extremum, inline, perLane, splat } from "./vector-function.ts";

/** Smallest and largest value, and as floats the smallest and the first above the largest: 2^31 for i32. Exact in f32 and f64. */
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

/**
 * The conversion of a lane out of range is undefined, so each is brought into range before it. `max` takes the limit where
 * a lane is NaN: of unsigned bytes that is the 0 that is wanted, elsewhere the lane becomes 0 by a mask.
 */
function vectorSaturating(prelude: Prelude, name: string, from: Element, to: Element, lanes: number): string {
  const { below, most, above } = limits[to]!;
  const [source, own, i32] = [
    prelude.type(from, lanes),
    prelude.type(maskElement(from), lanes),
    prelude.type("i32", lanes),
  ];
  const all = (value: string): string => `${splat(prelude, from, lanes)}(${literal(value, from)})`;
  const low = `${extremum(prelude, "max", from, lanes)}(${all(below)}, a)`;
  const inRange = `${extremum(prelude, "min", from, lanes)}(${low}, ${all(`${most}.0`)})`;
  const clamped = to === "u8" ? inRange : `(${source})((${own})${inRange} & (${own})(a == a))`;
  const isExact = from === "f64" || to !== "i32";
  const word = isExact ? `__builtin_convertvector(${clamped}, ${i32})` : wordOfSingle(prelude, low, all(above), lanes);
  const result = to === "i32" ? word : resizeLanes(prelude, word, "i32", to, lanes);
  return `${inline} ${prelude.type(to, lanes)} ${name}(${source} a) { return ${result}; }`;
}

/** The greatest i32 is no f32: what is above becomes 0 like NaN, and has its bits put in afterwards. */
function wordOfSingle(prelude: Prelude, low: string, above: string, lanes: number): string {
  const [f32, i32] = [prelude.type("f32", lanes), prelude.type("i32", lanes)];
  const inRange = `__builtin_convertvector((${f32})((${i32})${low} & (${i32})(a < ${above})), ${i32})`;
  return `${inRange} | ((${i32})(a >= ${above}) & 0x7fffffff)`;
}

const literal = (value: string, element: Element): string => (element === "f32" ? `${value}f` : value);
