// The limits are those of this machine, so all that can be said is that they are in proportion: what the loops do is looked at.

import binaryen from "binaryen";
import { describe, expect, it } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import {
  greaterLimits,
  type MachineLimits,
  measureLimits,
  rateNames,
} from "../../../src/native/limits/machine-limits.ts";
import { arithmeticProbes } from "../../../src/native/limits/native-probes.ts";
import { probeModule, relaxedProbes, wasmProbes } from "../../../src/native/limits/wasm-module.ts";
import { cpuNameOf } from "../../../src/native/machine/cpu-name.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import { skipReason, toolchain } from "../compiled.ts";

const needsCompiler = skipReason ? ` (${skipReason})` : "";

const parsed = (probes: typeof wasmProbes) => {
  const module = binaryen.readBinary(probeModule(probes));
  module.setFeatures(binaryen.Features.SIMD128 | binaryen.Features.RelaxedSIMD);
  return module;
};

/** The text of each function's loop, in order. */
const loopsOf = (probes: typeof wasmProbes): readonly string[] =>
  parsed(probes)
    .emitText()
    .split("\n (func ")
    .slice(1)
    .map((text) => text.slice(text.indexOf("(loop"), text.indexOf("(v128.store")));

const countOf = (text: string, instruction: string): number => text.split(`(${instruction}`).length - 1;

describe("the WASM modules", () => {
  it("are valid; only one of them needs relaxed SIMD", () => {
    expect(parsed(wasmProbes).validate()).toBe(1);
    expect(parsed(relaxedProbes).validate()).toBe(1);
    expect(WebAssembly.validate(probeModule(wasmProbes))).toBe(true);
  });

  it("have loops of arithmetic that load nothing, on sums of their own", () => {
    const loops = loopsOf(wasmProbes);
    for (const [at, { rate, sums, statements }] of wasmProbes.entries()) {
      const loop = loops[at]!;
      expect(countOf(loop, "v128.load"), rate).toBe(0);
      const operations = statements.flat().filter((part) => typeof part === "number").length;
      expect(loop.match(/\((f|i)\d+x\d+\./g), rate).toHaveLength((operations * sums) / statements.length);
      expect(new Set(loop.match(/local\.set \$\d+/g)).size, rate).toBe(sums);
    }
    const pairs = wasmProbes.findIndex(({ rate }) => rate === "f32.any");
    expect([countOf(loops[pairs]!, "f32x4.mul"), countOf(loops[pairs]!, "f32x4.add")]).toEqual([12, 12]);
    expect(countOf(loops.at(-1)!, "v128.load")).toBe(8);
  });

  it("fuse where SIMD is relaxed", () => {
    const [f32 = "", f64 = ""] = loopsOf(relaxedProbes);
    expect(countOf(f32, "f32x4.relaxed_madd")).toBe(12);
    expect(countOf(f64, "f64x2.relaxed_madd")).toBe(12);
  });
});

describe("the loops of native targets", () => {
  const rates = (name: keyof typeof targets): readonly string[] => [...arithmeticProbes(targets[name]).keys()];
  const text = (name: keyof typeof targets, rate: "i8.dot" | "bf16.dot" | "f32.multiply"): string =>
    arithmeticProbes(targets[name]).get(rate)!.source.text;

  it("use the best instruction that a target has", () => {
    expect(rates("avx2")).not.toContain("bf16.dot");
    expect(rates("avx512-bf16")).toContain("bf16.dot");
    expect(text("avx2", "f32.multiply").match(/vfmadd213ps %%ymm0/g)).toHaveLength(14);
    expect(text("avx2", "i8.dot").match(/vpmaddwd %%ymm0/g)).toHaveLength(7);
    expect(text("avx512", "i8.dot").match(/vpmaddwd %%zmm0/g)).toHaveLength(7);
    expect(text("avx512-vnni", "i8.dot").match(/vpdpbusd %%zmm0/g)).toHaveLength(14);
    expect(text("avx512-bf16", "bf16.dot").match(/vdpbf16ps %%zmm0/g)).toHaveLength(14);
    expect(text("amx", "i8.dot").match(/tdpbusd/g)).toHaveLength(4);
    expect(text("amx", "bf16.dot").match(/tdpbf16ps/g)).toHaveLength(4);
  });

  it("keep all that they compute with in registers", () => {
    const loop = text("avx2", "f32.multiply").split('"1:')[1]!.split("vzeroupper")[0]!;
    expect(loop).not.toMatch(/\(%1\)|\(%%r/);
  });
});

const positive = ({ rates, reading }: MachineLimits): readonly number[] => [
  ...Object.values(rates).filter((rate) => rate !== null),
  ...reading.map(({ speed }) => speed),
];

it("WASM: each rate is some a nanosecond, and all but relaxed ones are known", async () => {
  const limits = (await measureLimits(hostTarget("wasm"), null))!;
  for (const amount of positive(limits)) {
    expect(amount).toBeGreaterThan(0.2);
    expect(amount).toBeLessThan(2000);
  }
  const unknown = rateNames.filter((name) => limits.rates[name] === null && !name.endsWith("relaxed"));
  expect(unknown).toEqual(["bf16.dot"]);
  expect(limits.reading.map(({ bytes }) => bytes)).toEqual(Array.from({ length: 13 }, (_, at) => 2 ** (14 + at)));
});

it.skipIf(skipReason !== null)(
  `native code does more than WASM, whose vectors are narrower${needsCompiler}`,
  async () => {
    const native = (await measureLimits(hostTarget("avx2"), toolchain))!;
    const wasm = (await measureLimits(hostTarget("wasm"), null))!;
    expect(native.rates["f32.multiply"]).toBeGreaterThan(1.3 * wasm.rates["f32.multiply"]!);
    expect(native.rates["i8.any"]).toBeGreaterThan(1.3 * native.rates["i32.any"]!);
    for (const amount of positive(native)) expect(amount).toBeGreaterThan(0.2);
  },
);

it.skipIf(skipReason !== null)(`a compiler that fails gives none${needsCompiler}`, async () => {
  const broken = { ...hostTarget("avx2"), features: ["no-such-feature"] };
  expect(await measureLimits(broken, toolchain)).toBeNull();
});

it("of two measurements each limit is the greater one", () => {
  const limits = (f32: number, bf16: number | null, speed: number): MachineLimits => ({
    rates: {
      ...(Object.fromEntries(rateNames.map((name) => [name, null])) as MachineLimits["rates"]),
      "f32.any": f32,
      "bf16.dot": bf16,
    },
    reading: [{ bytes: 16384, speed }],
  });
  expect(greaterLimits(limits(50, 7, 30), limits(58, null, 20))).toEqual(limits(58, 7, 30));
});

it("generations of a CPU are told apart by their numbers", () => {
  const cpuinfo = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n";
  expect(cpuNameOf("AMD EPYC", cpuinfo)).toBe("AMD EPYC (family 25, model 17)");
  expect(cpuNameOf("Apple M4", "")).toBe("Apple M4");
});
