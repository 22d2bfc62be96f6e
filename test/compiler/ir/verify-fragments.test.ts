// Fragments are zeroed, moved as a whole, and named in the instructions that they are for. Whatever else is refused in words.

import { describe, expect, test } from "vitest";
import { add, assign, constInt, define, loadOf, ramp, seq, store } from "../../../src/compiler/ir/build.ts";
import type { Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../../src/compiler/ir/print.ts";
import { verify } from "../../../src/compiler/ir/verify.ts";
import { A, bytesLocal, bytesOf, C, onTiles, product, sumsIn, tileLocal, tilePlace, zeros } from "./fragments.ts";

const acc = tileLocal("acc");
const zeroed = define("acc", zeros, "fragment");
const multiplied = assign("acc", product(acc));
const stored = store(C, tilePlace, acc);

test("accepts zeros, products, copies and moves of whole tiles", () => {
  const left = define("left", bytesOf(A), "fragment");
  const sum = assign("acc", product(acc, bytesLocal("left")));
  expect(verify(onTiles(seq(left, zeroed, sum, multiplied, stored)), "flat")).toEqual([]);
  const loaded = define("acc", loadOf(C, tilePlace), "fragment");
  expect(verify(onTiles(seq(loaded, multiplied, stored)), "flat")).toEqual([]);
});

describe("refuses", () => {
  test.each<[string, Stmt, readonly string[]]>([
    [
      "arithmetic on a fragment",
      seq(zeroed, multiplied, store(C, tilePlace, add(acc, zeros))),
      ["a fragment is an operand of acc + broadcast(0, 256), in C[ramp(0, 1, 256)] = acc + broadcast(0, 256)"],
    ],
    [
      "a fragment that is computed",
      seq(zeroed, multiplied, assign("acc", add(loadOf(C, tilePlace), zeros)), stored),
      ["acc is a fragment, and is given no whole one, in acc = C[ramp(0, 1, 256)] + broadcast(0, 256)"],
    ],
    [
      "a part of one, loaded",
      seq(define("acc", loadOf(C, tilePlace, constInt(3)), "fragment"), multiplied, stored),
      ["acc is a fragment, and is given no whole one, in let acc: i32x256 = C[ramp(0, 1, 256); 3 lanes]"],
    ],
    [
      "a part of one, stored",
      seq(zeroed, multiplied, store(C, tilePlace, acc, constInt(3))),
      ["a part of a fragment is stored, in C[ramp(0, 1, 256); 3 lanes] = acc"],
    ],
    [
      "elements apart",
      seq(zeroed, multiplied, store(C, [ramp(constInt(0), 2, 256)], acc)),
      ["a part of a fragment is stored, in C[ramp(0, 2, 256)] = acc"],
    ],
    [
      "an instruction on a register",
      seq(define("acc", zeros), store(C, tilePlace, product(acc))),
      [
        "tdpbssd takes acc, no fragment, in C[ramp(0, 1, 256)] = tdpbssd(acc, A[ramp(0, 1, 1024)], B[ramp(0, 1, 1024)])",
      ],
    ],
    [
      "a register that holds a product",
      seq(zeroed, define("sum", product(acc)), store(C, tilePlace, tileLocal("sum"))),
      [
        "sum is given a fragment, and is none, in let sum: i32x256 = tdpbssd(acc, A[ramp(0, 1, 1024)], B[ramp(0, 1, 1024)])",
      ],
    ],
    ["any other vector", seq(zeroed, stored), ["acc is a fragment that no instruction takes or gives"]],
  ])("%s", (_, body, problems) => {
    expect(verify(onTiles(body), "flat")).toEqual(problems);
  });

  test("an instruction on a buffer in registers, not on one of fragments", () => {
    const sums = (memory: "register" | "fragment") => sumsIn("acc", memory);
    const body = store(sums("fragment"), tilePlace, product(loadOf(sums("fragment"), tilePlace)));
    expect(verify(onTiles(body, sums("fragment")), "flat")).toEqual([]);
    expect(verify(onTiles(body, sums("register")), "flat")[0]).toMatch(/^tdpbssd takes acc\[.*\], no fragment/);
  });

  test("fragments in a schedule", () => {
    const nest = onTiles(seq(), sumsIn("acc", "fragment"));
    expect(verify(nest, "scheduled")).toEqual(["acc is a fragment, which schedules do not know"]);
    expect(printFunc(nest)).toContain("\n  fragment  acc: i32[256]\n");
  });
});
