// The roof of a report: where its limits are from, for whom they hold, and that no kernel is above it.

import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ComputeDef, type CpuTarget, type DType, instantiate, opLibrary } from "../../../src/compiler/index.ts";
import type { MachineLimits } from "../../../src/native/limits/machine-limits.ts";
import { cpuName } from "../../../src/native/machine/cpu-name.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import type { KernelContext } from "../../../src/plugin/kernel/context/kernel-context.ts";
import { limitsSource, type Measuring, roofOf } from "../../../src/plugin/report/roof.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import { limitsFiles, limitsSchema } from "../../../src/tuner/record/limits-file.ts";
import { inTurn } from "../../support/long.ts";
import { recordedLimits } from "../../support/recorded-limits.ts";

const turn = inTurn(3);

const wasm: CpuTarget = { ...hostTarget("wasm"), threads: 1 };
const gemm = (dtype: DType): ComputeDef => instantiate(opLibrary.gemm({ M: 16, N: 16, K: 16, dtype }), {}, "gemm");
const flops = 2 * 16 ** 3;
const known = recordedLimits("wasm");
/** A WASM kernel multiplies and adds in two instructions. */
const f32 = known.rates["f32.any"]!;

interface Case {
  readonly op?: ComputeDef;
  readonly threads?: number;
  readonly whyNotHere?: string;
  readonly measuring?: Measuring;
  /** Stored before. */
  readonly limits?: MachineLimits;
  readonly leastNs?: number | null;
}

function start({ op = gemm("f32"), threads = 1, whyNotHere, measuring = "never", limits, leastNs = 1e9 }: Case) {
  const cacheDir = mkdtempSync(join(tmpdir(), "roof-"));
  const key = { targetClass: `${targetClass(wasm)} on ${cpuName()}`, toolchain: `V8 ${process.versions.v8}` };
  if (limits) limitsFiles.write(cacheDir, { schema: limitsSchema, ...key, ...limits });
  const target = { ...wasm, threads };
  const services = { options: { cacheDir } };
  const task = { op, target, numerics: "fast" };
  const context = {
    op,
    task,
    services,
    whyNotHere: whyNotHere ?? null,
    toolchain: async () => null,
  } as unknown as KernelContext;
  const kernel = { computed: op, target, toolchain: "wasm", leastNs };
  return {
    cacheDir,
    roof: () => roofOf(context, kernel, limitsSource(measuring)),
    stored: () => limitsFiles.read(cacheDir, key),
    elsewhere: () => roofOf(context, { ...kernel, target: { ...target, l2Bytes: 1 } }, limitsSource(measuring)),
  };
}

/** The recorded limits times a factor. */
const scaled = ({ rates, reading }: MachineLimits, factor: number): MachineLimits => ({
  rates: Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [name, rate && rate * factor]),
  ) as unknown as MachineLimits["rates"],
  reading: reading.map(({ bytes, speed }) => ({ bytes, speed: speed * factor })),
});

it("is what was measured before: the arithmetic of the kernel, and reading its operands", async () => {
  const roof = await start({ limits: known }).roof();
  expect(roof).toMatchObject({ limitedBy: "arithmetic", isKernelFaster: false, source: "measured on one core" });
  expect(roof.gflops).toBeCloseTo(f32, 5);
  expect(roof.leastNs).toBeCloseTo(flops / f32, 5);
  // Two inputs of 1 kB, which are in the first cache.
  expect(roof.reading).toMatchObject({ bytes: 2048, speed: known.reading[0]!.speed });
});

it("of several threads is several cores', and nothing is said of reading", async () => {
  const roof = await start({ limits: known, threads: 2 }).roof();
  expect(roof).toMatchObject({ reading: null, source: "measured on one core, times 2" });
  expect(roof.gflops).toBeCloseTo(2 * f32, 5);
});

it("each type has its own arithmetic, and dot products theirs", async () => {
  const gflopsOf = async (dtype: DType) => (await start({ limits: known, op: gemm(dtype) }).roof()).gflops;
  expect(await gflopsOf("f64")).toBeCloseTo(known.rates["f64.any"]!, 5);
  expect(await gflopsOf("i8")).toBeCloseTo(2 * known.rates["i8.dot"]!, 5);
});

it("is not known where nothing may be measured, or nothing can, or the schedule is another machine's", async () => {
  const source = async (roof: Promise<{ source: string }>): Promise<string> => (await roof).source;
  expect(await source(start({}).roof())).toBe("a build in this mode measures nothing");
  expect(await source(start({ whyNotHere: "this CPU has no amx-tile" }).roof())).toBe("this CPU has no amx-tile");
  expect(await source(start({ limits: known, leastNs: null }).roof())).toBe("nothing of it was measured here");
  expect(await source(start({ limits: known }).elsewhere())).toBe("its schedule is another machine's");
});

describe("measured again", () => {
  turn("it is the greatest so far", async () => {
    const unknown = start({ measuring: "if unknown" });
    const { gflops } = await unknown.roof();
    expect(gflops).toBeGreaterThan(0.5);
    const before = start({ measuring: "again", limits: scaled(known, 1000) });
    expect((await before.roof()).gflops).toBeCloseTo(1000 * f32, 3);
    expect(before.stored()!.rates["f32.any"]).toBeCloseTo(1000 * known.rates["f32.any"]!, 3);
  });

  turn("it is where a kernel was faster than limits that a busy machine gave", async () => {
    const busy = scaled(known, 1e-3);
    const { roof, stored } = start({ measuring: "if unknown", limits: busy, leastNs: flops / (f32 / 100) });
    const { gflops, isKernelFaster } = await roof();
    expect(isKernelFaster).toBe(false);
    expect(gflops).toBeGreaterThan(10 * (f32 / 1000));
    expect(stored()!.rates["f32.any"]).toBeGreaterThan(busy.rates["f32.any"]!);
  });

  turn("limits that stay lower than a kernel are taken from the kernel: it is never beyond them", async () => {
    for (const measuring of ["never", "again"] as const) {
      const { roof } = start({ measuring, limits: scaled(known, 1e-6), leastNs: 1e-3 });
      const { gflops, leastNs, isKernelFaster, reading } = await roof();
      expect({ leastNs, isKernelFaster }).toEqual({ leastNs: 1e-3, isKernelFaster: true });
      expect(gflops).toBeGreaterThanOrEqual(flops / 1e-3);
      expect(reading!.gflops).toBeGreaterThanOrEqual(flops / 1e-3);
    }
  });
});

turn("limits of one machine are no other's: the file is named by CPU and engine", async () => {
  const { cacheDir, roof } = start({ measuring: "if unknown" });
  await roof();
  expect(readdirSync(cacheDir)).toHaveLength(1);
  const other = { targetClass: `${targetClass(wasm)} on another CPU`, toolchain: `V8 ${process.versions.v8}` };
  expect(limitsFiles.read(cacheDir, other)).toBeNull();
});
