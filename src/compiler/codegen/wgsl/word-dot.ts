// Dot products of bytes → WGSL text. Operands are words: loads of them where bytes lie in words, else bytes that are packed.

import type { WordDotText } from "../../intrinsic/wgsl-dot.ts";
import type { Expr, IntrinsicCall, Load, Select } from "../../ir/loop-ir.ts";
import { lanesOf } from "../../ir/visit.ts";
import { cannotRun } from "../cannot.ts";
import { constantOf } from "./constant.ts";
import { bound, type WgslContext } from "./context.ts";
import { wordBytes } from "./elements.ts";
import { wgslExpr } from "./expression.ts";
import { wordText } from "./load.ts";
import { dividedIndex, startOfRun } from "./place.ts";

/** A circle with expression.ts: a call is an expression, and its operands are. */
export function callText({ name, operands, text }: IntrinsicCall, context: WgslContext): string {
  const own = text.wgsl as WordDotText | undefined;
  if (own?.kind !== "words") {
    throw cannotRun("wgsl", `there is no code for ${name}`, "this schedule is for another machine");
  }
  const [sum, ...taken] = operands;
  const words = new Map(taken.map((operand, at) => ["AB"[at]!, wordIn(own.gain, "AB"[at]!, operand, context)]));
  const gain = own.gain.replaceAll(/\b[AB]\b/g, (operand) => words.get(operand)!);
  return `(${wgslExpr(sum!, null, context)} + ${gain})`;
}

/** Text of an operand as a word. An instruction that names the operand several times gets a variable. */
function wordIn(gain: string, operand: string, expr: Expr, context: WgslContext): string {
  const word = wordOf(expr, context);
  const isOnce = gain.split(new RegExp(`\\b${operand}\\b`)).length === 2;
  return isOnce ? word : bound(word, context);
}

/** The word, a u32, that four bytes are. */
export function wordOf(expr: Expr, context: WgslContext): string {
  return wordAsItIs(expr, context) ?? `pack4x${expr.dtype === "i8" ? "I8" : "U8"}(${packable(expr, context)})`;
}

function wordAsItIs(expr: Expr, context: WgslContext): string | null {
  if (expr.kind === "local" && context.words.has(expr.name)) return context.names(expr.name);
  if (expr.kind === "load") return loadedWord(expr, context);
  if (expr.kind === "select") return selectedWord(expr, context);
  return isZero(expr) ? "0u" : null;
}

function loadedWord({ buffer, indices, active }: Load, context: WgslContext): string | null {
  const form = context.forms.get(buffer)!;
  const start = form.isPacked && form.width === wordBytes && !active ? startOfRun(indices[0]!, wordBytes) : null;
  return start && wordText(form, wgslExpr(dividedIndex(start, wordBytes)!.quotient, null, context), context);
}

/** A word, or zeros under a condition that is the same for all of its bytes. */
function selectedWord({ condition, then: yes, else: no }: Select, context: WgslContext): string | null {
  const word = lanesOf(condition) === 1 && isZero(no) ? wordAsItIs(yes, context) : null;
  return word && `select(0u, ${word}, ${wgslExpr(condition, null, context)})`;
}

const isZero = (expr: Expr): boolean => constantOf(expr)?.value === 0;

const packable = (expr: Expr, context: WgslContext): string =>
  expr.dtype === "i8" ? wgslExpr(expr, null, context) : `vec4<u32>(${wgslExpr(expr, null, context)})`;
