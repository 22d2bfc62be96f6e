import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { add, constInt, floorDiv, forLoop, mod, mul, variable } from "../../../src/compiler/ir/build.ts";
import type { Expr, For } from "../../../src/compiler/ir/loop-ir.ts";
import { printExpr } from "../../../src/compiler/ir/print-expr.ts";
import { boundingBox, countOf } from "../../../src/compiler/schedule/region.ts";

const loop = (name: string, extent: number): For => forLoop(name, extent, { kind: "seq", body: [] });
const [o, i, k] = [variable("o"), variable("i"), variable("k")];
const at = (...indices: readonly Expr[]): readonly Expr[] => indices;
const times = (factor: number, of: Expr): Expr => mul(of, constInt(factor));

function box(accesses: readonly (readonly Expr[])[], inside: readonly For[]): readonly string[] | null {
  return (
    boundingBox(accesses, inside)?.map((dim) => {
      const { start, extent, step } = dim;
      return `${printExpr(start)} +${extent}${step === 1 ? "" : ` step ${step}: ${countOf(dim)}`}`;
    }) ?? null
  );
}

test("a tile of rows, all columns", () => {
  expect(box([at(add(times(12, o), i), k)], [loop("i", 12), loop("k", 97)])).toEqual(["o * 12 +12", "0 +97"]);
});

test("an index that the loops do not move", () => {
  expect(box([at(o)], [loop("i", 4)])).toEqual(["o +1"]);
});

test("strides leave elements out", () => {
  expect(box([at(add(times(3, i), o))], [loop("i", 5)])).toEqual(["o +13 step 3: 5"]);
  expect(box([at(add(times(4, i), times(6, k)))], [loop("i", 5), loop("k", 3)])).toEqual(["0 +29 step 2: 15"]);
  expect(box([at(times(4, i)), at(add(times(4, i), constInt(2)))], [loop("i", 5)])).toEqual(["0 +19 step 2: 10"]);
});

test("fused and tiled loops", () => {
  const rows = [at(floorDiv(i, constInt(4)), mod(i, constInt(4)))];
  expect(box(rows, [loop("i", 12)])).toEqual(["0 +3", "0 +4"]);
  // 8·o may wrap around for all that is known of o.
  expect(box([at(floorDiv(add(times(8, o), i), constInt(4)))], [loop("i", 8)])).toBeNull();
  expect(box([at(add(mod(o, constInt(3)), i))], [loop("i", 8)])).toEqual(["o % 3 +8"]);
});

test("quotients by two of loops around and inside, where the loops around are known", () => {
  const half = at(floorDiv(add(times(2, o), i), constInt(2)));
  expect(boundingBox([half], [loop("i", 2)])).toBeNull();
  const [dim] = boundingBox([half], [loop("i", 2)], [loop("o", 7)])!;
  expect([printExpr(dim!.start), dim!.extent]).toEqual(["o", 1]);
});

test("a loop around of one iteration may be left out of some accesses", () => {
  const [tiled, plain] = [at(add(times(11, o), i)), at(add(i, constInt(2)))];
  expect(boundingBox([tiled, plain], [loop("i", 4)], [loop("o", 2)])).toBeNull();
  const [dim] = boundingBox([tiled, plain], [loop("i", 4)], [loop("o", 1)])!;
  expect([printExpr(dim!.start), dim!.extent]).toEqual(["0", 6]);
});

test("strides, and loops that walk backwards", () => {
  expect(box([at(add(times(2, i), k))], [loop("i", 5), loop("k", 3)])).toEqual(["0 +11"]);
  expect(box([at(add(o, times(-3, i)))], [loop("i", 4)])).toEqual(["o - 9 +10 step 3: 4"]);
});

test("the box of several accesses", () => {
  expect(box([at(i), at(add(i, constInt(3))), at(add(i, constInt(-2)))], [loop("i", 4)])).toEqual(["-2 +9"]);
});

test("no box", () => {
  expect(box([at(mul(i, i))], [loop("i", 4)])).toBeNull();
  expect(box([at(floorDiv(add(o, i), constInt(4)))], [loop("i", 4)])).toBeNull();
  expect(box([at(o), at(times(2, o))], [loop("i", 4)])).toBeNull();
  expect(box([at(o), at(i)], [loop("i", 4)])).toBeNull();
});

const coefficient = fc.integer({ min: -4, max: 4 });
const extent = fc.integer({ min: 1, max: 5 });

property.prop([
  fc.array(fc.tuple(coefficient, coefficient, fc.integer({ min: -9, max: 9 })), { minLength: 1, maxLength: 3 }),
  extent,
  extent,
])("as small as possible around all elements read", (terms, iExtent, kExtent) => {
  const accesses = terms.map(([a, b, c]) => at(add(add(times(a, i), times(b, k)), constInt(c))));
  const read = terms.flatMap(([a, b, c]) =>
    Array.from({ length: iExtent * kExtent }, (_, n) => a * Math.floor(n / kExtent) + b * (n % kExtent) + c),
  );
  const [found] = boundingBox(accesses, [loop("i", iExtent), loop("k", kExtent)])!;
  expect(found!.startAffine).toEqual({ terms: [], constant: Math.min(...read) });
  expect(found!.extent).toBe(Math.max(...read) - Math.min(...read) + 1);
  const distances = read.map((each) => each - Math.min(...read)).filter((distance) => distance > 0);
  const common = (step: number): boolean => distances.every((distance) => distance % step === 0);
  expect(common(found!.step), "every element read is in the region").toBe(true);
  const larger = distances.filter((step) => step > found!.step && common(step));
  expect(larger, "no larger step has them all").toEqual([]);
});
