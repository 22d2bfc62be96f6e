// Integers become narrow where no value needs more than 16 bits, and the results stay those of 32 bits, for bytes of all values: arithmetic by
// lot, other in each run, is evaluated as it is written and as it becomes.

import { expect, test } from "vitest";
import {
  arrayOf,
  authoring,
  type ComputeDef,
  evaluate,
  instantiate,
  integerRange,
  type Op,
  printComputeDef,
  type TypedArray,
  targets,
} from "../../../../src/compiler/index.ts";
import { narrowIntegers } from "../../../../src/tuner/space/algorithm/narrow-integers.ts";
import type { Rng } from "../../../../src/tuner/support/rng.ts";
import { drawWords } from "../../../support/drawn/draw-words.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../../support/long.ts";
import { ofBytes as bytes, type Word } from "../../../support/of-bytes.ts";

const { cast, compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

function narrowed(op: Op): string {
  const def = instantiate(op, {}, "op");
  return printComputeDef(narrowIntegers.rewrite(def).op).split("\n").slice(1).join("\n").trim();
}

const applies = (op: Op): boolean =>
  narrowIntegers.applies({ op: instantiate(op, {}, "op"), target: targets.avx2, numerics: "fast", threads: 1 });

const toByte = (word: authoring.Expr) => cast(word as Word, "u8");

test("sums and products fit as they are", () => {
  expect(narrowed(bytes((a, b) => toByte(a.add(b).min(255))))).toMatchInlineSnapshot(
    `"out[i] = u8(min(i16(A[i]) + i16(B[i]), 255i16))  u8  i 100"`,
  );
  expect(narrowed(bytes((a, b) => toByte(a.sub(b).abs())))).toMatchInlineSnapshot(
    `"out[i] = u8(abs(i16(A[i]) - i16(B[i])))  u8  i 100"`,
  );
  expect(narrowed(bytes((a, b) => select(a.add(b).gt(200), cast(255, "u8"), cast(0, "u8"))))).toMatchInlineSnapshot(
    `"out[i] = select(i16(A[i]) + i16(B[i]) > 200i16, 255u8, 0u8)  u8  i 100"`,
  );
});

test("values up to 65535 are words without a sign, whose quotients lose it", () => {
  expect(narrowed(bytes((a, b) => toByte(a.mul(77).add(b.mul(179)).floorDiv(256))))).toMatchInlineSnapshot(
    `"out[i] = u8(floorDiv(i16(A[i]) * 77i16 + i16(B[i]) * 179i16, 256i16))  u8  i 100"`,
  );
  expect(narrowed(bytes((a, b) => toByte(a.mul(b).floorDiv(4).min(255))))).toMatchInlineSnapshot(
    `"out[i] = u8(min(mod(floorDiv(i16(A[i]) * i16(B[i]), 4i16), 16384i16), 255i16))  u8  i 100"`,
  );
});

test("a mix is no larger than what is mixed", () => {
  const mix = bytes((a, b, m) =>
    toByte(
      a
        .mul(m)
        .add(b.mul(m.neg().add(255)))
        .add(127)
        .floorDiv(255),
    ),
  );
  expect(narrowed(mix)).toMatchInlineSnapshot(
    `"out[i] = u8(floorDiv(i16(A[i]) * i16(M[i]) + i16(B[i]) * (-i16(M[i]) + 255i16) + 127i16 + 1i16 + mod(floorDiv(i16(A[i]) * i16(M[i]) + i16(B[i]) * (-i16(M[i]) + 255i16) + 127i16, 256i16), 256i16), 256i16))  u8  i 100"`,
  );
});

test("a sum of few elements is a narrow stage, one of many is not", () => {
  const mean = (frames: number): Op =>
    defineOp({}, () => {
      const X = tensor("X", [frames, 100], "u8");
      const k = reduceAxis("k", frames);
      return compute("out", [100], (i) => cast(sum(cast(X(k, i), "i32"), k).floorDiv(frames), "u8"));
    });
  expect(narrowed(mean(9))).toMatchInlineSnapshot(`
    "out.sum[i] = sum(i16(X[k, i]), k)  i16  i 100, k 9
    out[i] = u8(floorDiv(out.sum[i], 9i16))  u8  i 100"
  `);
  expect(applies(mean(128))).toBe(true);
  expect(applies(mean(129))).toBe(false);
});

test("what needs more than 16 bits stays as it is", () => {
  expect(applies(bytes((a, b) => toByte(a.mul(409).add(b.mul(298)).min(255))))).toBe(false);
  expect(applies(bytes((a, b) => a.add(b)))).toBe(false);
  expect(applies(bytes((a, b) => a.add(b).cast("f32")))).toBe(false);
});

test("a long sum takes as long as it has terms", () => {
  const long = (terms: number): Op =>
    bytes((a, b) => {
      const sum = Array.from({ length: terms }).reduce<authoring.Expr>((all, _, at) => all.add(at % 2 ? a : b), a);
      return toByte(sum.floorDiv(terms + 1));
    });
  for (const terms of [60, 120]) expect(applies(long(terms))).toBe(true);
  expect(applies(long(400))).toBe(false);
});

/** Bytes of all values, those at the ends more often than others. */
function extremes(op: ComputeDef, rng: Rng): Readonly<Record<string, TypedArray>> {
  return Object.fromEntries(
    op.inputs.map(({ name, dtype, shape }) => {
      const [least, most] = integerRange[dtype as "u8" | "i8" | "i16"];
      const value = (): number =>
        rng.pick([least, most, least + 1, most - 1, least + rng.below(most - least + 1), rng.below(4)]);
      const length = shape.reduce((product, extent) => product * extent, 1);
      return [name, arrayOf(dtype, Float64Array.from({ length }, value))];
    }),
  );
}

test("arithmetic by lot gives the results of 32 bits", () => {
  const rng = rngOf("words");
  let narrow = 0;
  for (let number = 0; number < fewer(400); number++) {
    const op = instantiate(drawWords(rng, "small"), {}, "op");
    const other = narrowIntegers.rewrite(op).op;
    const isNarrow = narrowIntegers.applies({ op, target: targets.avx2, numerics: "fast", threads: 1 });
    if (isNarrow) narrow++;
    const inputs = extremes(op, rng);
    const [{ Z: expected }, { Z: found }] = [evaluate(op, inputs), evaluate(other, inputs)];
    const isSame = expected!.every((value, at) => value === found![at]);
    expect(isSame ? [] : [printComputeDef(op), printComputeDef(other)]).toEqual([]);
  }
  expect(narrow).toBeGreaterThan(fewer(400) / 5);
});

test("schedules of arithmetic by lot compute the right bytes", () => {
  const rng = rngOf("schedules of words");
  const wrong = Array.from({ length: fewer(100) }).flatMap((_, number) => {
    const op = instantiate(drawWords(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const problem = drawEach(space, rng)
      .filter(({ template }) => template.includes("narrow"))
      .map((candidate) => problemOf(op, space, candidate, name))
      .find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});
