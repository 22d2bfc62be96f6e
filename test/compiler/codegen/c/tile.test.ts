// Which locals are tiles the generator reads from the function: nothing else tells a copy through a tile from one through vectors.

import { expect, test } from "vitest";
import { generateC, targets } from "../../../../src/compiler/index.ts";
import { localBuffer } from "../../../../src/compiler/ir/buffer.ts";
import { define, loadOf, seq, store } from "../../../../src/compiler/ir/build.ts";
import type { Registers } from "../../../../src/compiler/ir/loop-ir.ts";
import { C, onTiles, tileLocal, tilePlace } from "../../ir/fragments.ts";

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
