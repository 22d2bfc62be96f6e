// The roof of a report: where its limits are from, and for whom they hold.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ComputeDef, instantiate, opLibrary, type Target } from "../../../src/compiler/index.ts";
import { hostTarget } from "../../../src/native/toolchain/machine.ts";
import type { KernelContext } from "../../../src/plugin/compile/kernel-context.ts";
import { limitsSource, type Measuring, roofOf } from "../../../src/plugin/report/roof.ts";
import { limitsFiles, limitsSchema } from "../../../src/tuner/record/limits-file.ts";
import { targetClass } from "../../../src/tuner/store/key.ts";

const wasm: Target = { ...hostTarget("wasm"), threads: 1 };
const gemm = instantiate(opLibrary.gemm({ M: 16, N: 16, K: 16, dtype: "f32" }), {}, "gemm");

interface Case {
  readonly op?: ComputeDef;
  readonly threads?: number;
  readonly missing?: readonly string[];
  readonly measuring?: Measuring;
  /** Stored before. */
  readonly gflops?: number;
}

function start({ op = gemm, threads = 1, missing = [], measuring = "never", gflops }: Case) {
  const cacheDir = mkdtempSync(join(tmpdir(), "roof-"));
  const key = { targetClass: targetClass(wasm), toolchain: "wasm" };
  if (gflops !== undefined) limitsFiles.write(cacheDir, { schema: limitsSchema, ...key, gflops, reading: 1e-3 });
  const target = { ...wasm, threads };
  const services = { options: { cacheDir } };
  const context = { op, task: { target }, services, missing, toolchain: async () => null } as unknown as KernelContext;
  return {
    roof: () => roofOf(context, target, "wasm", limitsSource(measuring)),
    stored: () => limitsFiles.read(cacheDir, key),
    elsewhere: () => roofOf(context, { ...target, l2Bytes: 1 }, "wasm", limitsSource(measuring)),
  };
}

it("is what was measured before, of small operands in the caches", async () => {
  const { roof } = start({ gflops: 40 });
  expect(await roof()).toEqual({ gflops: 40, reading: 1e-3, isCached: true, source: "measured on one core" });
});

it("of several threads is several cores', and nothing is said of memory", async () => {
  const { roof } = start({ gflops: 40, threads: 2 });
  expect(await roof()).toMatchObject({ gflops: 80, reading: null, source: "measured on one core, times 2" });
});

it("f64 has half the lanes; what has instructions of its own no known peak", async () => {
  const f64 = instantiate(opLibrary.gemm({ M: 16, N: 16, K: 16, dtype: "f64" }), {}, "gemm");
  expect(await start({ gflops: 40, op: f64 }).roof()).toMatchObject({ gflops: 20, reading: 1e-3 });
  const int8 = instantiate(opLibrary.gemm({ M: 16, N: 16, K: 16, dtype: "i8" }), {}, "gemm");
  expect(await start({ gflops: 40, op: int8 }).roof()).toMatchObject({ gflops: null, reading: 1e-3 });
});

it("is not known where nothing may be measured, or nothing can, or the schedule is another machine's", async () => {
  const source = async (roof: Promise<{ source: string }>): Promise<string> => (await roof).source;
  expect(await source(start({}).roof())).toBe("a build in this mode measures nothing");
  expect(await source(start({ missing: ["amx-tile"] }).roof())).toBe("this CPU has no amx-tile");
  expect(await source(start({ gflops: 40 }).elsewhere())).toBe("its schedule is another machine's");
});

it("measured again, it is the greatest so far", async () => {
  const unknown = start({ measuring: "if unknown" });
  const { gflops } = await unknown.roof();
  expect(gflops).toBeGreaterThan(0.5);
  expect(unknown.stored()).toMatchObject({ gflops });
  const known = start({ measuring: "again", gflops: 1e6 });
  const roof = await known.roof();
  expect(roof.gflops).toBe(1e6);
  expect(roof.reading).toBeGreaterThan(0.1);
  expect(known.stored()).toMatchObject({ gflops: 1e6, reading: roof.reading });
});
