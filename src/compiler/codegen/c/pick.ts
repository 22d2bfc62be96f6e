// Lanes picked from several vectors → C text: shuffles, each of what there is so far and one more of the vectors.
//
//   pick(a, b; 0 2 4 6)   →   uk_pick_f32x4_0_2_4_6(a, b)

import { lanesOf } from "../../ir/lanes.ts";
import type { LanePick } from "../../ir/loop-ir.ts";
import type { Context, Value } from "./context.ts";
import { type Element, elementBytes, type Piece, storedElement } from "./element.ts";
import { emit } from "./operand.ts";
import { bytePick, type PickForm } from "./pick-bytes.ts";
import type { Prelude } from "./prelude.ts";
import { leadingLanes, shortOperand } from "./resize-lanes.ts";
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
  if (lanes === width && places.every((place, lane) => place === lane)) return operands[0]!;
  const name = pickFunction(context.prelude, { element, width, count: used.length, places });
  return { text: `${name}(${operands.map(({ text }) => text).join(", ")})`, element };
}

/** Bytes of the shortest vector that compilers shuffle. A shorter vector becomes the beginning of one of this length. */
const leastBytes = 16;

/** `name(a0, a1, …)` gives the places, counted through the operands. */
export function pickFunction(prelude: Prelude, form: PickForm): string {
  const { element, width, count, places } = form;
  const type = prelude.type(element, places.length);
  const operand = prelude.type(element, width);
  const name = `uk_pick_${element}x${width}_${placesText(places)}`;
  return prelude.define(name, () => {
    const names = Array.from({ length: count }, (_, at) => `a${at}`);
    const lanes = places.map((place) => `a${Math.floor(place / width)}[${place % width}]`);
    const assembled = `  return (${type}){${lanes.join(", ")}};`;
    // clang shuffles vectors of one length alone.
    const isShuffled = count <= 2 || width === places.length;
    const ways = isShuffled
      ? [
          ...bytePick(prelude, form),
          { when: "defined(__clang__) || __GNUC__ >= 12", lines: shuffles(prelude, form) },
        ].flatMap(({ when, lines }, at) => [`#${at === 0 ? "if" : "elif"} ${when}`, ...lines])
      : [];
    return [
      `${inline} ${type} ${name}(${names.map((it) => `${operand} ${it}`).join(", ")}) {`,
      ...ways,
      ...(isShuffled ? ["#else", assembled, "#endif"] : [assembled]),
      "}",
    ].join("\n");
  });
}

/** "every_3_x16_from_0", or the place of each lane. */
function placesText(places: readonly number[]): string {
  const [first = 0, second = 0] = places;
  const step = second - first;
  const isRegular = step > 0 && places.every((place, lane) => place === first + lane * step);
  return isRegular ? `every_${step}_x${places.length}_from_${first}` : places.join("_");
}

/**
 * The first two operands give a vector with their lanes, and each other one its own: −1 is any lane. An operand of less than half of the
 * result's lanes is made longer before: gcc 12 would do so by way of memory, and wait for it.
 */
function shuffles(prelude: Prelude, { element, width, count, places }: PickForm): readonly string[] {
  const least = leastBytes / elementBytes[element];
  const length = Math.max(places.length, least);
  const wide = Math.max(width, least, length / 2);
  const given = places.map((place) => Math.floor(place / width) * wide + (place % width));
  const all = [...given, ...Array.from({ length: length - places.length }, () => -1)];
  const longer = Array.from({ length: count }, (_, at) =>
    lengthened(prelude, element, { width, wide, text: `a${at}` }),
  );
  const source = (at: number): string => longer[at]!.text;
  const begun = all.map((place) => (place < 2 * wide ? place : -1)).join(", ");
  const later = Array.from({ length: Math.max(0, count - 2) }, (_, at) => {
    const from = (at + 2) * wide;
    const order = all.map((place, lane) =>
      place < from ? lane : place < from + wide ? all.length + place - from : -1,
    );
    return `  r = __builtin_shufflevector(r, ${source(at + 2)}, ${order.join(", ")});`;
  });
  const type = prelude.type(element, all.length);
  const result = all.length > places.length ? leadingLanes(prelude, "r", element, places.length) : "r";
  return [
    ...longer.flatMap(({ lines }) => lines),
    `  ${type} r = __builtin_shufflevector(${source(0)}, ${count > 1 ? source(1) : source(0)}, ${begun});`,
    ...later,
    `  return ${result};`,
  ];
}

/** A vector as the beginning of a longer one, and the lines that make it, each of which doubles the length. */
function lengthened(
  prelude: Prelude,
  element: Element,
  { width, wide, text }: { readonly width: number; readonly wide: number; readonly text: string },
): { readonly lines: readonly string[]; readonly text: string } {
  const least = leastBytes / elementBytes[element];
  const lines: string[] = [];
  let at = width < least ? shortOperand(prelude, element, width, text) : text;
  for (let lanes = Math.max(width, least); lanes < wide; lanes *= 2) {
    const order = Array.from({ length: 2 * lanes }, (_, lane) => (lane < lanes ? lane : -1)).join(", ");
    const next = `${text}_${2 * lanes}`;
    lines.push(`  ${prelude.type(element, 2 * lanes)} ${next} = __builtin_shufflevector(${at}, ${at}, ${order});`);
    at = next;
  }
  return { lines, text: at };
}
