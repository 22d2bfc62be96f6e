// Lanes picked from several vectors → C text: shuffles, each of what there is so far and one more of the vectors.
//
//   pick(a, b; 0 2 4 6)   →   uk_pick_f32x4_0_2_4_6(a, b)

import { lanesOf } from "../../ir/lanes.ts";
import type { LanePick } from "../../ir/loop-ir.ts";
import type { Context, Value } from "./context.ts";
import { type Element, elementBytes, type Piece, storedElement } from "./element.ts";
import { emit } from "./operand.ts";
import type { Prelude } from "./prelude.ts";
import { inline } from "./vector-function.ts";

export function emitPick(context: Context, expr: LanePick, { start, lanes }: Piece): Value {
  const { parts, picks, dtype } = expr;
  const element = storedElement[dtype];
  const width = lanesOf(parts[0]!);
  if (lanes === 1) {
    const pick = picks[start]!;
    return emit(context, parts[Math.floor(pick / width)]!, { start: pick % width, lanes: 1 });
  }
  const wanted = picks.slice(start, start + lanes);
  const isVector = Number.isInteger(Math.log2(width)) && width * elementBytes[element] <= context.vectorBytes;
  if (!isVector) {
    const texts = wanted.map((_, lane) => emitPick(context, expr, { start: start + lane, lanes: 1 }).text);
    return { text: `(${context.prelude.type(element, lanes)}){${texts.join(", ")}}`, element };
  }
  const used = [...parts.keys()].filter((part) => wanted.some((pick) => Math.floor(pick / width) === part));
  const places = wanted.map((pick) => used.indexOf(Math.floor(pick / width)) * width + (pick % width));
  const operands = used.map((part) => emit(context, parts[part]!, { start: 0, lanes: width }));
  const name = pickFunction(context.prelude, { element, width, count: used.length, places });
  return { text: `${name}(${operands.map(({ text }) => text).join(", ")})`, element };
}

export interface PickForm {
  readonly element: Element;
  /** Lanes of each operand, and number of operands. */
  readonly width: number;
  readonly count: number;
  readonly places: readonly number[];
}

/** Least bytes of a vector: compilers take the shuffles of shorter ones apart. */
const leastBytes = 16;

/** `name(a0, a1, …)` gives the places, counted through the operands. */
export function pickFunction(prelude: Prelude, form: PickForm): string {
  const { element, width, count, places } = form;
  const type = prelude.type(element, places.length);
  const operand = prelude.type(element, width);
  return prelude.define(`uk_pick_${element}x${width}_${placesText(places)}`, () => {
    const names = Array.from({ length: count }, (_, at) => `a${at}`);
    const lanes = places.map((place) => `a${Math.floor(place / width)}[${place % width}]`);
    const assembled = `  return (${type}){${lanes.join(", ")}};`;
    const isShort = width * elementBytes[element] < leastBytes || places.length * elementBytes[element] < leastBytes;
    const name = `uk_pick_${element}x${width}_${placesText(places)}`;
    return [
      `${inline} ${type} ${name}(${names.map((it) => `${operand} ${it}`).join(", ")}) {`,
      ...(isShort
        ? [assembled]
        : ["#if defined(__clang__) || __GNUC__ >= 12", ...shuffles(type, form), "#else", assembled, "#endif"]),
      "}",
    ].join("\n");
  });
}

/** "every_3_x16", or the place of each lane. */
function placesText(places: readonly number[]): string {
  const [first = 0, second = 0] = places;
  const step = second - first;
  const isRegular = step > 0 && places.every((place, lane) => place === first + lane * step);
  return isRegular ? `every_${step}_x${places.length}_from_${first}` : places.join("_");
}

/** The first two operands give a vector with their lanes, and each other one its own: −1 is any lane. */
function shuffles(type: string, { width, count, places }: PickForm): readonly string[] {
  const lanes = places.length;
  const begun = places.map((place) => (place < 2 * width ? place : -1)).join(", ");
  const later = Array.from({ length: Math.max(0, count - 2) }, (_, at) => {
    const from = (at + 2) * width;
    const order = places.map((place, lane) => (place < from ? lane : place < from + width ? lanes + place - from : -1));
    return `  r = __builtin_shufflevector(r, a${at + 2}, ${order.join(", ")});`;
  });
  return [`  ${type} r = __builtin_shufflevector(a0, ${count > 1 ? "a1" : "a0"}, ${begun});`, ...later, "  return r;"];
}
