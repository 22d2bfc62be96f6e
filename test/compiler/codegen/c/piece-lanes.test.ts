// Vectors are cut by what they meet: bytes of one stage fill registers, whatever elements another stage of the function has.

import { expect, test } from "vitest";
import { generateC, targets } from "../../../../src/compiler/index.ts";
import { add, cast, constInt, define, loadOf, localOf, ramp, seq, store } from "../../../../src/compiler/ir/build.ts";
import type { Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { body, buffer } from "./flat-functions.ts";

const lanes = 64;
const place = [ramp(constInt(0), 1, lanes)];
const bytes = buffer("bytes", "u8", lanes, "input");
const words = buffer("words", "i32", lanes, "input");
const copied = buffer("copied", "u8", lanes, "output");
const sums = buffer("sums", "i32", lanes, "output");

const textOf = (...stmts: readonly Stmt[]): string =>
  generateC({ name: "f", buffers: [bytes, words, copied, sums], body: body(...stmts) }, targets.avx512, {
    numerics: "fast",
  }).text;

const held = localOf("held", "u8", lanes);
const word = localOf("word", "i32", lanes);
const defineHeld = define("held", loadOf(bytes, place));
const copy = store(copied, place, add(held, held));
const sum = seq(define("word", loadOf(words, place)), store(sums, place, add(word, word)));

test("locals of bytes are whole registers beside locals of words", () => {
  const text = textOf(defineHeld, copy, sum);
  expect(text).toContain("uk_u8x64 held = ");
  expect(text).toContain("uk_i32x16 word_3 = ");
  expect(text).not.toContain("held_0");
});

test("locals that meet words are cut as these are, before and after they meet", () => {
  const text = textOf(defineHeld, copy, store(sums, place, add(cast("i32", held), loadOf(words, place))));
  expect(text).toContain("uk_u8x16 held_3 = ");
  expect(text).not.toContain("u8x64");
});
