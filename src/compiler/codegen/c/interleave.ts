// The lanes of several vectors in turns → C text, two vectors at a time: neighbours first, then the pairs as wider lanes.
//
//   a0 a1 …, b0 b1 …, c0 c1 …, d0 d1 …   →   a0 b0 a1 b1 …, c0 d0 c1 d1 …   →   a0 b0 c0 d0 a1 b1 c1 d1 …

import { pick } from "../../ir/build.ts";
import { lanesOf } from "../../ir/lanes.ts";
import type { Interleave } from "../../ir/loop-ir.ts";
import type { Context, Value } from "./context.ts";
import { type Element, maskElement, type Piece, storedElement } from "./element.ts";
import { interleavedRows } from "./interleave-rows.ts";
import { emit } from "./operand.ts";
import { emitPick, pickFunction } from "./pick.ts";
import type { Prelude } from "./prelude.ts";
import { inline } from "./vector-function.ts";

export function emitInterleave(context: Context, expr: Interleave, piece: Piece): Value {
  const { parts, dtype } = expr;
  const element = storedElement[dtype];
  const { start, lanes } = piece;
  const each = parts.length;
  if (start % each === 0 && lanes % each === 0) {
    const range: Piece = { start: start / each, lanes: lanes / each };
    const rows = interleavedRows(context, expr, range);
    if (rows) return rows;
    const whole = lanesOf(parts[0]!);
    // Locals are in registers and broadcasts have one value, so whole vectors are shuffled: taking a part of one out costs more.
    if (whole > range.lanes && parts.every(({ kind }) => kind === "local" || kind === "broadcast"))
      return emitPick(context, pick(parts, placesInTurns(each, whole)), piece);
    const texts = parts.map((part) => emit(context, part, range).text);
    return { text: inTurns(context.prelude, texts, element, range.lanes), element };
  }
  const texts = Array.from({ length: lanes }, (_, at) => {
    const lane = start + at;
    return emit(context, parts[lane % each]!, { start: Math.floor(lane / each), lanes: 1 }).text;
  });
  return { text: lanes === 1 ? texts[0]! : `(${context.prelude.type(element, lanes)}){${texts.join(", ")}}`, element };
}

/** Vectors of `lanes` elements, or scalars, made one. */
function inTurns(prelude: Prelude, parts: readonly string[], element: Element, lanes: number): string {
  const wide = wider[maskElement(element)];
  if (!wide && parts.length > 2 && lanes > 1)
    return `${pickInTurns(prelude, parts.length, element, lanes)}(${parts.join(", ")})`;
  const name = `uk_interleave${parts.length}_${element}${lanes === 1 ? "" : `x${lanes}`}`;
  const type = prelude.type(element, parts.length * lanes);
  prelude.define(name, () => {
    const part = prelude.type(element, lanes);
    const names = parts.map((_, at) => `a${at}`);
    const parameters = names.map((it) => `${part} ${it}`).join(", ");
    const signature = `${inline} ${type} ${name}(${parameters})`;
    if (lanes === 1) return `${signature} { return (${type}){${names.join(", ")}}; }`;
    if (parts.length === 2) return `${signature} {\n${shuffleOfTwo(type, lanes)}\n}`;
    const pairs = names.flatMap((left, at) => {
      if (at % 2 === 1) return [];
      return [`(${prelude.type(wide!, lanes)})${inTurns(prelude, [left, names[at + 1]!], element, lanes)}`];
    });
    return `${signature} { return (${type})${inTurns(prelude, pairs, wide!, lanes)}; }`;
  });
  return `${name}(${parts.join(", ")})`;
}

/** There are no wider lanes than those of 8 bytes. */
const pickInTurns = (prelude: Prelude, count: number, element: Element, width: number): string => {
  return pickFunction(prelude, { element, width, count, places: placesInTurns(count, width) });
};

const placesInTurns = (count: number, width: number): readonly number[] =>
  Array.from({ length: count * width }, (_, lane) => (lane % count) * width + Math.floor(lane / count));

const wider: Partial<Record<Element, Element>> = { i8: "i16", i16: "i32", i32: "i64" };

/** Text of a shuffle of two vectors. Compilers without the builtin put the vector together from its lanes. */
function shuffleOfTwo(type: string, lanes: number): string {
  const all = Array.from({ length: lanes }, (_, lane) => lane);
  const shuffled = all.flatMap((lane) => [lane, lanes + lane]).join(", ");
  const assembled = all.flatMap((lane) => [`a0[${lane}]`, `a1[${lane}]`]).join(", ");
  return [
    "#if defined(__clang__) || __GNUC__ >= 12",
    `  return __builtin_shufflevector(a0, a1, ${shuffled});`,
    "#else",
    `  return (${type}){${assembled}};`,
    "#endif",
  ].join("\n");
}
