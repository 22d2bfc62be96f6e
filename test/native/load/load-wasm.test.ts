import { describe, expect, it } from "vitest";
import { generateWasm, type LoopFunc } from "../../../src/compiler/index.ts";
import { loadWasm } from "../../../src/native/load/load-wasm.ts";
import * as ir from "../../compiler/codegen/wasm/build.ts";

const double: LoopFunc = ir.func(
  "double",
  [ir.buffer("X", "i16", 5, "input"), ir.buffer("Y", "i16", 5, "output")],
  ir.loop("i", 5, ir.store("Y", ir.v("i"), ir.add(ir.load("X", "i16", ir.v("i")), ir.load("X", "i16", ir.v("i"))))),
);

const kernel = () => loadWasm(generateWasm(double, { relaxed: false }));

describe("loadWasm", () => {
  it("copies inputs in and outputs back, and leaves inputs alone", () => {
    const x = Int16Array.of(1, 2, -3, 4, 20000);
    const y = new Int16Array(5);
    kernel().call([x, y]);
    expect([...y]).toEqual([2, 4, -6, 8, -25536]);
    expect([...x]).toEqual([1, 2, -3, 4, 20000]);
  });

  it("runs in place on its buffers", () => {
    const { buffers, run } = kernel();
    const [x, y] = buffers();
    x!.set([5, 6, 7, 8, 9]);
    run();
    expect([...y!]).toEqual([10, 12, 14, 16, 18]);
  });

  it("gives each instance a memory of its own", () => {
    const [one, two] = [kernel(), kernel()];
    one.buffers()[0]!.fill(1);
    expect([...two.buffers()[0]!]).toEqual([0, 0, 0, 0, 0]);
  });

  it("refuses wrong arguments by name", () => {
    const { call } = kernel();
    const right = new Int16Array(5);
    expect(() => call([right])).toThrow(new TypeError("1 arguments, the kernel takes 2"));
    expect(() => call([new Int32Array(5), right])).toThrow(new TypeError("X has to be a Int16Array"));
    expect(() => call([right, new Int16Array(4)])).toThrow(new RangeError("Y has 4 elements, 5 are wanted"));
  });
});
