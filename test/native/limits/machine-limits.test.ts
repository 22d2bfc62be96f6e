// The limits are those of this machine, so all that can be said is that they are in proportion.

import binaryen from "binaryen";
import { expect, it } from "vitest";
import { measureLimits } from "../../../src/native/limits/machine-limits.ts";
import { limitsModule } from "../../../src/native/limits/wasm-limits.ts";
import { hostTarget } from "../../../src/native/toolchain/machine.ts";
import { limitsText } from "../../support/limits-module.ts";
import { skipReason, toolchain } from "../compiled.ts";

it("the bytes of the WASM module are those of its text", () => {
  const module = binaryen.parseText(limitsText());
  module.setFeatures(binaryen.Features.SIMD128);
  expect(module.validate()).toBe(1);
  expect(Buffer.from(module.emitBinary()).toString("base64")).toBe(limitsModule);
});

it("WASM: some operations a nanosecond, some bytes a nanosecond", async () => {
  const { gflops, reading } = (await measureLimits(hostTarget("wasm"), null))!;
  expect(gflops).toBeGreaterThan(1);
  expect(gflops).toBeLessThan(1000);
  expect(reading).toBeGreaterThan(0.3);
  expect(reading).toBeLessThan(1000);
});

it.skipIf(skipReason !== null)(
  `native code does more than WASM, which cannot fuse and has narrower vectors${skipReason ? ` (${skipReason})` : ""}`,
  async () => {
    const native = (await measureLimits(hostTarget("avx2"), toolchain))!;
    const wasm = (await measureLimits(hostTarget("wasm"), null))!;
    expect(native.gflops).toBeGreaterThan(1.3 * wasm.gflops);
    expect(native.reading).toBeGreaterThan(0.3);
    expect(native.reading).toBeLessThan(1000);
  },
);

it.skipIf(skipReason !== null)(`a compiler that fails gives none${skipReason ? ` (${skipReason})` : ""}`, async () => {
  const broken = { ...hostTarget("avx2"), features: ["no-such-feature"] };
  expect(await measureLimits(broken, toolchain)).toBeNull();
});
