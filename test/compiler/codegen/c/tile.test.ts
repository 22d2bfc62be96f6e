// Which locals are tiles the generator reads from the function: nothing else tells a copy through a tile from one through vectors.

import { expect, test } from "vitest";
import { generateC, targets } from "../../../../src/compiler/index.ts";
import { localBuffer } from "../../../../src/compiler/ir/buffer.ts";
import { constInt, define, forLoop, loadOf, seq, store, variable } from "../../../../src/compiler/ir/build.ts";
import type { Registers } from "../../../../src/compiler/ir/loop-ir.ts";
import { eachCompiler } from "../../../native/compiled.ts";
import { onSoftTiles } from "../../../native/soft-tiles.ts";
import { A, C, onTiles, product, sumsIn, tileLocal, tilePlace, zeros } from "../../ir/fragments.ts";

const from = localBuffer({ ...C, name: "from" });

const copyThrough = (memory: Registers): string => {
  const body = seq(define("held", loadOf(from, tilePlace), memory), store(C, tilePlace, tileLocal("held")));
  return generateC(onTiles(body, from), targets.amx, { numerics: "fast" }).text;
};

test("a fragment is in a tile register", () => {
  const text = copyThrough("fragment");
  expect(text).toContain("  uk_tile_load(0, from + 0, 64);\n  uk_tile_store(0, C + 0, 64);\n");
  expect(text).toContain("uk_tile_configure();");
});

test("a register is vectors", () => {
  const text = copyThrough("register");
  expect(text).toMatch(/uk_i32x16 held_0 = /);
  expect(text).not.toContain("uk_tile");
});

// The thread that runs a kernel takes parts of its shared loops too: their tiles end with the part.
const shared = sumsIn("shared", "workspace");
const inParts = forLoop("part", 4, store(shared, [variable("part")], constInt(1)), "parallel");
const serialTiles = seq(define("sum", product(zeros), "fragment"), store(C, tilePlace, tileLocal("sum")));
const inTiles = forLoop("tile", 2, serialTiles, "parallel");

const threaded = { ...targets.amx, threads: 3 };

test("only launches on tiles configure them", () => {
  const { text } = generateC(onTiles(seq(inParts, serialTiles, inParts), shared), threaded, { numerics: "fast" });
  const main = text.lastIndexOf("void on_tiles(");
  expect(text.slice(0, main)).not.toContain("  uk_tile_configure();");
  expect(text.slice(main).match(/ {2}(uk_tile_\w+e|share)\(/g)).toEqual([
    "  share(",
    "  uk_tile_configure(",
    "  uk_tile_store(",
    "  uk_tile_release(",
    "  share(",
  ]);
});

eachCompiler("tiles after shared loops", ({ compileAll }) =>
  test("with tiles and without", async () => {
    const bodies = [seq(inParts, serialTiles, inParts), seq(inTiles, serialTiles, inParts), seq(inTiles, inParts)];
    const sources = bodies.map((body) => generateC(onTiles(body, shared), threaded, { numerics: "fast" }));
    const kernels = await compileAll(sources.map(onSoftTiles));
    const ones = new Int8Array(A.shape[0]!).fill(1);
    for (const index of bodies.keys()) {
      const sums = new Int32Array(256);
      kernels.call(index, ones, ones, sums);
      expect(new Set(sums)).toEqual(new Set([64]));
    }
  }),
);
