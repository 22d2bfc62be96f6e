// Vector constants of loops: read before the code, once a function, from globals that are there once a module.

import { describe, expect, test } from "vitest";
import { ConstantPool, keepConstants } from "../../../../src/compiler/codegen/wasm/constants.ts";
import {
  block,
  get,
  loop,
  plain,
  readGlobal,
  set,
  shuffle,
  v128,
  zeroVector,
} from "../../../../src/compiler/codegen/wasm/instruction.ts";
import { LocalPool } from "../../../../src/compiler/codegen/wasm/local-pool.ts";

const all = (byte: number) => v128(new Array<number>(16).fill(byte));
const [one, two] = [all(1), all(2)];

describe("keepConstants", () => {
  test("reads each constant of a loop once, before the code", () => {
    const locals = new LocalPool(["i32"]);
    const pool = new ConstantPool();
    const kept = keepConstants(loop([one, two, plain("v128.and"), one, plain("v128.or")]), locals, pool);
    const before = [readGlobal(1), set(1), readGlobal(2), set(2)];
    expect(kept).toEqual([...before, ...loop([get(1), get(2), plain("v128.and"), get(1), plain("v128.or")])]);
    expect(locals.types).toEqual(["i32", "v128", "v128"]);
    expect(pool.vectors).toEqual([one.bytes, two.bytes]);
  });

  test("leaves what runs once, zeros, ones and the places of a shuffle", () => {
    const code = [one, ...block([two]), ...loop([zeroVector, all(0xff), shuffle(one.bytes)]), two];
    const pool = new ConstantPool();
    expect(keepConstants(code, new LocalPool(), pool)).toEqual(code);
    expect(pool.vectors).toEqual([]);
  });

  test("finds the loop around a block, and the end of both", () => {
    const kept = keepConstants([...loop([...block([one]), one]), one], new LocalPool(), new ConstantPool());
    expect(kept).toEqual([readGlobal(1), set(0), ...loop([...block([get(0)]), get(0)]), one]);
  });

  test("functions of a module share its globals, each with a local of its own", () => {
    const pool = new ConstantPool();
    keepConstants(loop([one]), new LocalPool(), pool);
    const second = keepConstants(loop([two, one]), new LocalPool(), pool);
    expect(second).toEqual([readGlobal(2), set(0), readGlobal(1), set(1), ...loop([get(0), get(1)])]);
    expect(pool.vectors).toHaveLength(2);
  });
});
