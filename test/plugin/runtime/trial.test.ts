// When the results of a GPU and of the twin agree: by the bound of the schedule, to the bit for integers, and by numbers where the elements
// are patterns of bits.

import { describe, expect, test } from "vitest";
import { fromBf16Bits } from "../../../src/compiler/index.ts";
import { disagreement, tryOut } from "../../../src/plugin/runtime/gpu/trial.ts";

const numbers = (bits: unknown): Float32Array => Float32Array.from(bits as Uint16Array, fromBf16Bits);

describe("results", () => {
  test.each([
    ["equal ones", new Float32Array([1, 2]), new Float32Array([1, 2]), null],
    ["one within the bound", new Float32Array([1, 2.001]), new Float32Array([1, 2]), null],
    ["one beyond it", new Float32Array([1, 2.1]), new Float32Array([1, 2]), /differ from the twin's by 0\.09/],
    ["integers apart by one", new Int32Array([1, 3]), new Int32Array([1, 2]), /by 1, where 0 may be/],
    ["no number where the twin has one", new Float32Array([Number.NaN]), new Float32Array([1]), /by NaN/],
    ["any where the twin has none", new Float32Array([7, 1]), new Float32Array([Number.NaN, 1]), null],
  ])("%s", (_, own, twin, said) => {
    const found = disagreement([own], [twin], 1e-3);
    if (said === null) expect(found).toBeNull();
    else expect(found).toMatch(said);
  });

  test("of bf16 are numbers, not patterns", () => {
    const [own, twin] = [new Uint16Array([0x3f80, 0x4001]), new Uint16Array([0x3f80, 0x4000])];
    expect(disagreement([own], [twin], 2 ** -7)).toMatch(/by 1, where 0 may be/);
    expect(disagreement([own], [twin], 2 ** -7, numbers)).toBeNull();
    expect(disagreement([new Uint16Array([0x3f80, 0x4080])], [twin], 2 ** -7, numbers)).toMatch(/by 2, where/);
  });
});

test("a trial ends with the failure where no schedule runs", async () => {
  const failing = async (): Promise<never> => {
    throw new Error("lost");
  };
  await expect(tryOut([failing], async () => [new Float32Array(1)], null)).rejects.toThrow("lost");
});
