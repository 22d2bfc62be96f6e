// Loads → WGSL text. Narrow elements are taken out of words, single elements out of vectors. What is read beyond a buffer's end, under a
// condition that does not hold, is read within it: the language sees to that.

import { byteSize } from "../../expr/dtype.ts";
import { isLaneActive } from "../../ir/lanes.ts";
import type { Expr, Load } from "../../ir/loop-ir.ts";
import { lanesOf } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import type { BufferForm } from "./buffer-form.ts";
import { wgslConst } from "./constant.ts";
import { bound, type WgslContext } from "./context.ts";
import { valueType } from "./elements.ts";
import { type LaneNumber, lanesText, wgslExpr } from "./expression.ts";
import { dividedIndex, indexOfLane, startOfRun } from "./place.ts";
import { keyOfVector } from "./shared-vectors.ts";

/** A circle with expression.ts: an expression may load, and an index is an expression. */
export function loadText(load: Load, lane: LaneNumber, context: WgslContext): string {
  const [index] = load.indices;
  const form = context.forms.get(load.buffer)!;
  if (lanesOf(load) === 1) return guarded(load, 0, elementText(form, index!, null, context), context);
  if (lane !== null) return guarded(load, lane, elementText(form, index!, lane, context), context);
  return (load.active ? null : runText(form, index!, context)) ?? lanesText(load, context);
}

/** An element of a part of a vector: 0 behind the part. */
function guarded({ active, dtype }: Load, lane: number, text: string, context: WgslContext): string {
  if (isLaneActive(active, lane)) return text;
  return `select(${wgslConst(dtype, 0, context.use)}, ${text}, ${wgslExpr(active!, null, context)} > ${lane})`;
}

/** Text of an index. */
export function indexText(index: Expr, lane: LaneNumber, context: WgslContext): string {
  const own = lane === null ? index : indexOfLane(index, lane);
  return own ? wgslExpr(own, null, context) : wgslExpr(index, lane, context);
}

/** A run that is one vector, or some words. Null: it is none. */
function runText(form: BufferForm, index: Expr, context: WgslContext): string | null {
  const lanes = lanesOf(index);
  if (lanes % form.width !== 0 || form.width === 1) return null;
  const start = startOfRun(index, form.width);
  if (!start) return null;
  const first = dividedIndex(start, form.width)!.quotient;
  if (form.isPacked) return packedRun(form, bound(wgslExpr(first, null, context), context), lanes, context);
  const name = context.bufferName(form.buffer.name);
  const vector = `${name}[${wgslExpr(first, null, context)}]`;
  if (lanes !== form.width) return null;
  return form.buffer.dtype === "bool" ? `(${vector} != vec${lanes}<u32>(0u))` : vector;
}

function packedRun(form: BufferForm, first: string, lanes: number, context: WgslContext): string {
  const words = Array.from({ length: lanes / form.width }, (_, at) => {
    const index = at === 0 ? first : `${first} + ${at}`;
    return form.buffer.dtype === "f16"
      ? wordText(form, index, context)
      : bound(wordText(form, index, context), context);
  });
  const vectors = words.map((word) => elementsOfWord(form.buffer.dtype, word));
  return vectors.length === 1 ? vectors[0]! : `${valueType(form.buffer.dtype, lanes)}(${vectors.join(", ")})`;
}

export function wordText({ buffer, isAtomic }: BufferForm, index: string, { bufferName }: WgslContext): string {
  const place = `${bufferName(buffer.name)}[${index}]`;
  return isAtomic ? `atomicLoad(&${place})` : place;
}

function elementsOfWord(dtype: string, word: string): string {
  switch (dtype) {
    case "f16":
      return `unpack2x16float(${word})`;
    case "bf16":
      return `bitcast<vec2<f32>>(vec2<u32>(${word} << 16u, ${word} & 0xffff0000u))`;
    case "i16":
      return `((vec2<i32>(bitcast<i32>(${word})) << vec2<u32>(16u, 0u)) >> vec2<u32>(16u))`;
    case "i8":
      return `((vec4<i32>(bitcast<i32>(${word})) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u))`;
    case "u8":
      return `vec4<i32>((vec4<u32>(${word}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u))`;
    default:
      return `(((vec4<u32>(${word}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u))`;
  }
}

/** One element, by the index of a lane. */
function elementText(form: BufferForm, index: Expr, lane: LaneNumber, context: WgslContext): string {
  const own = lane === null ? index : indexOfLane(index, lane);
  const name = context.bufferName(form.buffer.name);
  // Only code that is not reached has such an index, and the language takes it for an error.
  if (own?.kind === "const" && (own.value < 0 || own.value >= product(form.buffer.shape))) {
    return wgslConst(form.buffer.dtype, 0, context.use);
  }
  if (form.width === 1) return fromWord(form, `${name}[${indexText(index, lane, context)}]`);
  const divided = own && dividedIndex(own, form.width);
  if (divided) {
    const place = wgslExpr(divided.quotient, null, context);
    if (!form.isPacked) {
      const vector = vectorText(`${name}[${place}]`, keyOfVector(form, divided.quotient), context);
      return fromWord(form, `${vector}.${"xyzw"[divided.at]}`);
    }
    return packedElement(form, wordText(form, place, context), divided.at, context);
  }
  const text = bound(indexText(index, lane, context), context);
  const place = `${text} >> ${Math.log2(form.width)}u`;
  const at = `(${text} & ${form.width - 1})`;
  if (!form.isPacked) return fromWord(form, `${name}[${place}][${at}]`);
  return packedElement(form, wordText(form, place, context), at, context);
}

/** A vector in memory, or the name that it has when further elements of it are read. */
function vectorText(text: string, key: string, context: WgslContext): string {
  const { shared } = context;
  if (!shared.has(key)) return text;
  const name = shared.get(key) ?? bound(text, context);
  shared.set(key, name);
  return name;
}

const fromWord = ({ buffer }: BufferForm, text: string): string =>
  buffer.dtype === "bool" && buffer.memory !== "register" ? `(${text} != 0u)` : text;

/** Element of a word, by its number in it. */
function packedElement({ buffer }: BufferForm, word: string, at: number | string, _: WgslContext): string {
  const { dtype } = buffer;
  const bits = 8 * byteSize[dtype];
  const start = typeof at === "number" ? `${at * bits}u` : `u32(${at}) * ${bits}u`;
  switch (dtype) {
    case "f16":
      return typeof at === "number" ? `unpack2x16float(${word}).${"xy"[at]}` : `unpack2x16float(${word})[${at}]`;
    case "bf16":
      return `bitcast<f32>(extractBits(${word}, ${start}, 16u) << 16u)`;
    case "bool":
      return `(extractBits(${word}, ${start}, 8u) != 0u)`;
    case "u8":
      return `i32(extractBits(${word}, ${start}, 8u))`;
    default:
      return `extractBits(bitcast<i32>(${word}), ${start}, ${bits}u)`;
  }
}
