// f16 and bf16 at the border of a kernel: Float16Array where the engine has it, bits elsewhere, and converters for both.

import { describe, expect, it } from "vitest";
import { fromBf16, fromF16, toBf16, toF16 } from "../../../src/compiler/expr/halves.ts";
import type { AnyKernel } from "../../../src/plugin/options/types.ts";
import { fakeKernel, tensors } from "../../support/fake-kernel.ts";
import { loadModule } from "../../support/load-module.ts";

const hasHalves = "Float16Array" in globalThis;
const half = (name: string, role: "input" | "output") => ({ ...tensors[0]!, name, dtype: "f16" as const, role });

/** Copies the bits. */
const copy = fakeKernel({
  tensors: [half("x", "input"), half("y", "output")],
  wasm: null,
  loops: { kind: "js", name: "copy", parameters: [], text: "arg1.set(arg0);" },
});
const numbers = [1, -2, 0.5, 65504, 2 ** -24, 0, Number.POSITIVE_INFINITY, 0.1];
const rounded = numbers.map((number) => (number === 0.1 ? 0.0999755859375 : number));
const kindOf = (array: unknown): string => Object.prototype.toString.call(array).slice(8, -1);

describe(`a kernel of f16, ${hasHalves ? "with" : "without"} Float16Array`, () => {
  const kind = hasHalves ? "Float16Array" : "Uint16Array";

  it("gives what the engine has, and takes that and bits", async () => {
    const kernel: AnyKernel = await loadModule(copy);
    const x = toF16(numbers);
    expect(kindOf(x)).toBe(kind);
    const y = kernel<Uint16Array>(x as Uint16Array);
    expect(kindOf(y)).toBe(kind);
    expect([...fromF16(y)]).toEqual(rounded);
    const bits = new Uint16Array(x.buffer, x.byteOffset, x.length);
    const out = new Uint16Array(8);
    expect(kernel<Uint16Array>(bits, out)).toBe(out);
    expect([...fromF16(out)]).toEqual(rounded);
    expect([...fromF16(await kernel.async<Uint16Array>(x as Uint16Array))]).toEqual(rounded);
  });

  it("has them in buffers, and copies nothing then", async () => {
    const kernel: AnyKernel = await loadModule(copy);
    const { x, y } = kernel.buffers() as Record<"x" | "y", Uint16Array>;
    expect([kindOf(x), kindOf(y)]).toEqual([kind, kind]);
    x.set(toF16(numbers));
    kernel(x, y);
    expect([...fromF16(y)]).toEqual(rounded);
  });

  it("refuses numbers of another kind, in words", async () => {
    const kernel: AnyKernel = await loadModule(copy);
    const must = hasHalves ? "a Float16Array or Uint16Array" : "a Uint16Array";
    expect(() => kernel(new Float32Array(8))).toThrow(
      new TypeError(`blend: argument 1 (x) must be ${must} of 8 elements, f16[2, 4]; got a Float32Array`),
    );
  });
});

it("bf16 is bits, which convert both ways", () => {
  const bits = toBf16([1, -2, 0.1, Number.NaN]);
  expect(kindOf(bits)).toBe("Uint16Array");
  expect([...bits.slice(0, 2)]).toEqual([0x3f80, 0xc000]);
  const [one, two, tenth, none] = fromBf16(bits);
  expect([one, two, none]).toEqual([1, -2, Number.NaN]);
  expect(tenth).toBeCloseTo(0.1, 3);
});
