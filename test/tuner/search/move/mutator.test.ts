import { describe, expect, test } from "vitest";
import gemm from "../../../../fixtures/ops/gemm.op.ts";
import { instantiate } from "../../../../src/compiler/index.ts";
import { check } from "../../../../src/tuner/constraint/check.ts";
import { mutateByKind } from "../../../../src/tuner/search/move/mutator.ts";
import { drawPoint, type Point, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { tunablesByKind } from "../../../../src/tuner/search/point/tunable-kind.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { space } from "../synthetic-task.ts";

const searched = searchSpace(space);
const template = searched.templates[0]!;
const tunables = tunablesByKind(template.template);

const changed = (before: Point, after: Point): string[] =>
  Object.keys(before.candidate.assignment).filter((name) => before.assignment[name] !== after.assignment[name]);

/** Decisions that one mutation of each of many random points changed. */
function mutations(kinds: typeof tunables, count: number): { before: Point; after: Point; names: string[] }[] {
  const rng = createRng(5);
  return Array.from({ length: count }, () => drawPoint(searched, template, rng, {})!).flatMap((before) => {
    const after = mutateByKind(searched, before, kinds, rng);
    return after ? [{ before, after, names: changed(before, after) }] : [];
  });
}

test("decisions of a GEMM's template by kind", () => {
  const op = instantiate(gemm, {}, "gemm");
  const [tiled] = generateSpace({ op, target: frozenTargets.avx2, numerics: "fast", threads: 1 }).templates;
  expect(tunablesByKind(tiled!)).toEqual({
    "tile-size": ["C.i.register", "C.i.block-tiles", "C.j.register", "C.j.block-tiles", "C.k.steps"],
    choice: ["C.order", "C.pack.A", "C.pack.B", "C.i.tail", "C.j.tail"],
    unroll: ["C.k.unroll"],
  });
});

describe("a mutator", () => {
  const none = { "tile-size": [], choice: [], unroll: [] };

  test("changes something, and keeps every constraint", () => {
    for (const { after, names } of mutations(tunables, 200)) {
      expect(names.length).toBeGreaterThan(0);
      expect(check(template.template.model, after.assignment)).toEqual([]);
    }
  });

  test("of tile sizes mostly moves a divisor between two tiles of a split", () => {
    const moves = mutations({ ...none, "tile-size": tunables["tile-size"] }, 200);
    const pairs = moves.filter(({ names }) => names.length === 2);
    expect(pairs.length).toBeGreaterThan(moves.length / 2);
    for (const { before, after, names } of pairs) {
      const product = ({ assignment }: Point): number => names.reduce((total, name) => total * assignment[name]!, 1);
      expect(product(after)).toBe(product(before));
    }
  });

  test("of choices leaves the tiles as they are", () => {
    const moves = mutations({ ...none, choice: tunables.choice }, 50);
    expect(moves.length).toBeGreaterThan(25);
    for (const { names } of moves) expect(names).toEqual(["pack.at"]);
  });

  test("is taken as often as its weight says, of those that the template has", () => {
    const moves = mutations(tunables, 1000);
    const choices = moves.filter(({ names }) => names.includes("pack.at")).length;
    expect(tunables.unroll).toEqual([]);
    expect(Math.abs(choices / 1000 - 0.05 / 0.95)).toBeLessThan(0.02);
  });

  test("of a template without decisions gives nothing", () => {
    const point = drawPoint(searched, template, createRng(1), {})!;
    expect(mutateByKind(searched, point, none, createRng(1))).toBeNull();
  });
});
