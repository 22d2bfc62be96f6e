// Stores → lines of WGSL. A run that fills vectors or words is stored as such. Single narrow elements go into their word by two atomic
// operations on their own bits, as threads beside store to the others.

import { byteSize } from "../../expr/dtype.ts";
import { isLaneActive } from "../../ir/lanes.ts";
import type { Expr, Store } from "../../ir/loop-ir.ts";
import { lanesOf, someExpr } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import type { BufferForm } from "./buffer-form.ts";
import { bound, type WgslContext } from "./context.ts";
import { valueType, wordBytes } from "./elements.ts";
import { isShort, wgslExpr } from "./expression.ts";
import { indexText, wordText } from "./load.ts";
import { dividedIndex, indexOfLane, startOfRun } from "./place.ts";
import { wordOf } from "./word-dot.ts";

type Lines = readonly string[];

export function linesOfStore(stmt: Store, context: WgslContext): Lines {
  const form = context.forms.get(stmt.buffer)!;
  const [index] = stmt.indices;
  const lanes = lanesOf(stmt.value);
  if (lanes === 1) {
    const value = wgslExpr(stmt.value, null, context);
    return ifActive(stmt, 0, elementLines(form, index!, null, value, context), context);
  }
  const start = stmt.active || form.isAtomic ? null : startOfRun(index!, form.width);
  if (start && form.width > 1) return runLines(form, start, stmt.value, context);
  const values = lanesApart(stmt, context);
  return values.flatMap((value, lane) =>
    ifActive(stmt, lane, elementLines(form, index!, lane, value, context), context),
  );
}

/** Texts of all lanes. They are computed before the first is stored, where the value reads what is stored to. */
function lanesApart({ buffer, value }: Store, context: WgslContext): readonly string[] {
  const lanes = Array.from({ length: lanesOf(value) }, (_, lane) => lane);
  if (isShort(value)) {
    const vector = bound(wgslExpr(value, null, context), context);
    return lanes.map((lane) => `${vector}.${"xyzw"[lane]}`);
  }
  const reads = someExpr(value, (expr) => expr.kind === "load" && expr.buffer === buffer);
  const texts = lanes.map((lane) => wgslExpr(value, lane, context));
  return reads ? texts.map((text) => bound(text, context)) : texts;
}

function ifActive({ active }: Store, lane: number, lines: Lines, context: WgslContext): Lines {
  const isActive = isLaneActive(active, lane);
  if (isActive !== null) return isActive ? lines : [];
  return [`if (${wgslExpr(active!, null, context)} > ${lane}) {`, ...lines.map((line) => `  ${line}`), "}"];
}

/** A run of whole vectors or words. */
function runLines(form: BufferForm, start: Expr, value: Expr, context: WgslContext): Lines {
  const { width, buffer } = form;
  const name = context.bufferName(buffer.name);
  const lanes = lanesOf(value);
  const first = wgslExpr(dividedIndex(start, width)!.quotient, null, context);
  const place = lanes === width ? first : bound(first, context);
  const part = (at: number): string => `${name}[${at === 0 ? place : `${place} + ${at}`}]`;
  if (!form.isPacked && lanes === width)
    return [`${part(0)} = ${toWords(form, wgslExpr(value, null, context), width)};`];
  // Words are copied as such.
  if (buffer.memory === "group" && lanes === width && width === wordBytes) {
    return [`${part(0)} = ${wordOf(value, context)};`];
  }
  const words = form.isPacked ? copiedWords(form, value, context) : null;
  if (words) return words.map((word, at) => `${part(at)} = ${word};`);
  const texts = isShort(value) ? shortLanes(value, context) : boundLanes(value, context);
  return Array.from({ length: lanes / width }, (_, at) => {
    const own = texts.slice(at * width, (at + 1) * width);
    if (!form.isPacked)
      return `${part(at)} = ${toWords(form, `${valueType(buffer.dtype, width)}(${own.join(", ")})`, width)};`;
    return `${part(at)} = ${packed(form, own, context)};`;
  });
}

/** Words of a run that is loaded from words of the same type; null: it is not. */
function copiedWords({ buffer, width }: BufferForm, value: Expr, context: WgslContext): readonly string[] | null {
  if (value.kind !== "load" || value.active || value.dtype !== buffer.dtype) return null;
  const from = context.forms.get(value.buffer)!;
  const start = from.isPacked ? startOfRun(value.indices[0]!, width) : null;
  if (!start) return null;
  const first = bound(wgslExpr(dividedIndex(start, width)!.quotient, null, context), context);
  return Array.from({ length: lanesOf(value) / width }, (_, at) =>
    wordText(from, at === 0 ? first : `${first} + ${at}`, context),
  );
}

function shortLanes(value: Expr, context: WgslContext): readonly string[] {
  const vector = bound(wgslExpr(value, null, context), context);
  return Array.from({ length: lanesOf(value) }, (_, lane) => `${vector}.${"xyzw"[lane]}`);
}

const boundLanes = (value: Expr, context: WgslContext): readonly string[] =>
  Array.from({ length: lanesOf(value) }, (_, lane) => bound(wgslExpr(value, lane, context), context));

const toWords = ({ buffer }: BufferForm, text: string, lanes: number): string =>
  buffer.dtype === "bool" && buffer.memory !== "register"
    ? `${lanes === 1 ? "u32" : `vec${lanes}<u32>`}(${text})`
    : text;

function packed({ buffer }: BufferForm, texts: readonly string[], context: WgslContext): string {
  const bits = 8 * byteSize[buffer.dtype];
  const parts = texts.map((text, at) => {
    const own = bitsOf(buffer.dtype, text, context);
    return at === 0 ? own : `(${own} << ${at * bits}u)`;
  });
  return parts.reduce((left, right) => `(${left} | ${right})`);
}

/** The bits of a narrow element, with zeros before them. */
function bitsOf(dtype: string, text: string, { use }: WgslContext): string {
  switch (dtype) {
    case "f16":
      return `${use("uk_f16_bits")}(${text})`;
    case "bf16":
      return `${use("uk_bf16_bits")}(${text})`;
    case "i16":
      return `(bitcast<u32>(${text}) & 0xffffu)`;
    case "bool":
      return `u32(${text})`;
    default:
      return `(bitcast<u32>(${text}) & 0xffu)`;
  }
}

function elementLines(form: BufferForm, index: Expr, lane: number | null, value: string, context: WgslContext): Lines {
  const own = lane === null ? index : indexOfLane(index, lane);
  // Only code that is not reached has such an index, and the language takes it for an error.
  if (own?.kind === "const" && (own.value < 0 || own.value >= product(form.buffer.shape))) return [];
  const name = context.bufferName(form.buffer.name);
  if (!form.isPacked) return [`${name}[${indexText(index, lane, context)}] = ${toWords(form, value, 1)};`];
  const { dtype } = form.buffer;
  const bits = 8 * byteSize[dtype];
  const divided = own && dividedIndex(own, form.width);
  const text = divided ? null : bound(indexText(index, lane, context), context);
  const word = divided ? wgslExpr(divided.quotient, null, context) : `${text} >> ${Math.log2(form.width)}u`;
  const place = `&${name}[${bound(word, context)}]`;
  const shift = divided ? `${divided.at * bits}u` : bound(`u32(${text} & ${form.width - 1}) * ${bits}u`, context);
  const mask = `${bits === 8 ? "0xffu" : "0xffffu"} << ${shift}`;
  // The value may read the element, so it is there before the old one goes.
  const fresh = bound(bitsOf(dtype, value, context), context);
  return [`atomicAnd(${place}, ~(${mask}));`, `atomicOr(${place}, ${fresh} << ${shift});`];
}
