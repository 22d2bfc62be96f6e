// Bad candidates planted in a real tuning: each costs its deadline and one record, and the kernel that comes out is right.

import { existsSync } from "node:fs";
import { join } from "node:path";
import binaryen from "binaryen";
import { describe, expect } from "vitest";
import { type CSource, isCSource, isWasmSource, type WasmSource } from "../../../../src/compiler/index.ts";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import { verifyKernel } from "../../../../src/plugin/kernel/compile/verify-kernel.ts";
import type { CompiledKernel } from "../../../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelContext } from "../../../../src/plugin/kernel/context/kernel-context.ts";
import { checkDecision } from "../../../../src/plugin/kernel/outside/check-decision.ts";
import type { Measurement } from "../../../../src/tuner/data/measurement.ts";
import { openDatabase } from "../../../../src/tuner/record/database.ts";
import type { ScheduleEntry } from "../../../../src/tuner/store/store-entry.ts";
import { type Buildable, createWorkbench, type MeasurableSource } from "../../../../src/tuner/workbench/workbench.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { loadModule } from "../../../support/load-module.ts";
import { inTurn } from "../../../support/long.ts";
import { nativeOf } from "../../../support/parts-of.ts";

const turn = inTurn(7);

const hasCompiler = (await detectToolchains()).length > 0;
const deadlineMs = 600;

/** The n-th candidate in the target's language is replaced by the n-th of `bad`, as far as these go. */
const planting =
  (
    bad: readonly ((source: MeasurableSource) => MeasurableSource)[],
    kind: MeasurableSource["kind"] = "wasm",
  ): KernelContext["workbench"] =>
  (options) => {
    const inner = createWorkbench({ ...options, runner: undefined, deadlineMs });
    const left = [...bad];
    const plant = (source: Buildable): Buildable =>
      source.kind === kind ? (left.shift()?.(source as MeasurableSource) ?? source) : source;
    const measure: typeof inner.measure = (sources, ...rest) => inner.measure([...sources].map(plant), ...rest);
    return { ...inner, measure };
  };

const wasm =
  (body: string) =>
  (source: MeasurableSource): MeasurableSource => {
    if (!isWasmSource(source)) return source;
    const module = binaryen.parseText(`(module (memory (export "memory") 1) (func (export "run") ${body}))`);
    const bytes = Uint8Array.from(module.emitBinary());
    module.dispose();
    const planted: MeasurableSource & WasmSource = { ...source, bytes };
    return planted;
  };

const c =
  (body: string) =>
  (source: MeasurableSource): MeasurableSource => {
    if (!isCSource(source)) return source;
    const text = `void ${source.name}(void *const *args, void *workspace) { ${body} }\n`;
    const planted: MeasurableSource & CSource = { ...source, text };
    return planted;
  };

function measurements(root: string): readonly Measurement[] {
  const records = openDatabase(join(root, "store/records.jsonl")).records({ task: null, targetClass: null });
  return records.map(({ measurement }) => measurement);
}

/** On small integers, where every order of the sum gives the same bits. */
async function wrongElements(kernel: CompiledKernel): Promise<number> {
  const { M, N, K } = kernel.parameters as { M: number; N: number; K: number };
  const A = Float32Array.from({ length: M * K }, (_, i) => (i % 7) - 3);
  const B = Float32Array.from({ length: K * N }, (_, i) => (i % 5) - 2);
  const run = (await loadModule(kernel)) as unknown as (...arrays: Float32Array[]) => Float32Array;
  return run(A, B).filter((value, at) => {
    const [i, j] = [Math.floor(at / N), at % N];
    return (
      value !== Array.from({ length: K }, (_, k) => A[i * K + k]! * B[k * N + j]!).reduce((sum, part) => sum + part, 0)
    );
  }).length;
}

describe("a tuning with bad candidates", () => {
  turn("goes on, and ends with a right kernel for WASM", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const bad = [
      wasm("unreachable"),
      wasm("(loop $for_ever (br $for_ever))"),
      wasm("(f32.store (i32.const 0) (f32.const 1))"),
      (source: MeasurableSource) => (source.kind === "wasm" ? { ...source, bytes: Uint8Array.of(1, 2, 3) } : source),
    ];
    const { kernel, warnings } = await compileIn(root, {
      request: { budget: { seconds: 600, trials: 8 } },
      change: () => ({ workbench: planting(bad) }),
    });
    expect(measurements(root).map(({ kind }) => kind)).toEqual([
      "crashed",
      "timed-out",
      "wrong-result",
      "build-failed",
      ...Array(4).fill("ok"),
    ]);
    expect(measurements(root)[1]).toEqual({ kind: "timed-out", deadlineMs });
    expect(kernel).toMatchObject({ origin: "tuned", measurements: 8 });
    expect(await wrongElements(kernel)).toBe(0);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^src\/gemm\.op\.ts\?tune=wasm: 1 candidate computed wrong results and will not be used: .+\. That is a bug of unplugin-kernel: please report it$/,
      ),
    ]);
  });

  turn.skipIf(!hasCompiler)("goes on, and ends with a right addon (needs gcc or clang)", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const bad = [
      c("*(volatile int *)8 = 1;"),
      c("for (volatile int n = 0; n >= 0; n = 1) {}"),
      c("((float *)args[2])[0] = 1;"),
      c("nonsense(;"),
    ];
    const { kernel, warnings } = await compileIn(root, {
      request: { target: "native", budget: { seconds: 600, trials: 6 } },
      change: () => ({ workbench: planting(bad, "c") }),
    });
    const found = measurements(root);
    expect(found.map(({ kind }) => kind)).toEqual(["crashed", "timed-out", "wrong-result", "build-failed", "ok", "ok"]);
    expect(found[0]).toMatchObject({ reason: expect.stringContaining("SIGSEGV") });
    expect(found[3]).toMatchObject({ reason: expect.stringContaining("error: ") });
    expect(nativeOf(kernel)).not.toBeNull();
    expect(await wrongElements(kernel)).toBe(0);
    expect(warnings).toHaveLength(1);
  });

  turn("is an error where nothing runs, and says why", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const traps = wasm("unreachable");
    const bad = Array(3).fill(traps);
    const compiled = compileIn(root, {
      request: { budget: { seconds: 600, trials: 3 } },
      change: () => ({ workbench: planting(bad) }),
    });
    await expect(compiled).rejects.toThrow(
      "tune.nothing-ran: src/gemm.op.ts?tune=wasm: nothing could be measured: 3 candidates crashed, as: RuntimeError: unreachable",
    );
  });

  turn("does not end with a twin that is wrong, and decides nothing then", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const same = (source: MeasurableSource): MeasurableSource => source;
    const bad = [same, same, same, same, same, wasm("(f32.store (i32.const 0) (f32.const 1))")];
    const compiled = compileIn(root, { change: () => ({ workbench: planting(bad) }) });
    await expect(compiled).rejects.toThrow(
      /^twin\.wrong: src\/gemm\.op\.ts\?tune=wasm: its relaxed WASM twin is wrong \(.+\); that is a bug of unplugin-kernel: please report it\n {2}hint: numerics: "strict" leaves it out$/,
    );
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
    expect((await compileIn(root)).kernel).toMatchObject({ origin: "tuned", measurements: 0 });
  });
});

turn("a locked kernel is run against the reference when it is verified", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  let context: KernelContext | null = null;
  await compileIn(root, {
    change(found) {
      context = found;
      return {};
    },
  });
  const locked: KernelContext = { ...context!, request: { ...context!.request, mode: "frozen" } };
  expect(await verifyKernel(locked)).toEqual({ notRun: null });
  const wrong = planting([wasm("(f32.store (i32.const 0) (f32.const 1))")]);
  await expect(verifyKernel({ ...locked, workbench: wrong })).rejects.toThrow(
    /^verify\.wrong: src\/gemm\.op\.ts\?tune=wasm: it wrote its input A\n {2}hint: tune it again$/,
  );
});

describe("a kernel that does not come back in a check", () => {
  const forEver = wasm("(loop $for_ever (br $for_ever))");
  const late = "it did not come back within 0.6 s";
  const lockedIn = async (root: string): Promise<KernelContext> => {
    let context: KernelContext | null = null;
    await compileIn(root, {
      change(found) {
        context = found;
        return {};
      },
    });
    return { ...context!, request: { ...context!.request, mode: "frozen" } };
  };

  turn("is not checked, and a decision from elsewhere that leads to it is not taken", async () => {
    const locked = await lockedIn(writeApp({ "src/gemm.op.ts": gemmText() }));
    const slow = { ...locked, workbench: planting([forEver]) };
    expect(await verifyKernel(slow)).toEqual({ notRun: late });
    const entry = await locked.store.entry(locked.key);
    const decision = { key: locked.key, ...(entry as ScheduleEntry), measured: (entry as ScheduleEntry).measured! };
    expect(await checkDecision(slow, decision)).toEqual({ kind: "refused", why: `it cannot be checked here: ${late}` });
    expect(await checkDecision(locked, decision)).toMatchObject({ kind: "taken" });
  });

  turn("is not checked where it is a twin", async () => {
    const locked = await lockedIn(writeApp({ "src/gemm.op.ts": gemmText() }));
    const right = (source: MeasurableSource): MeasurableSource => source;
    // The first is the kernel itself, the next is it again, as what is shipped with it.
    const slow = { ...locked, workbench: planting([right, forEver]) };
    expect(await verifyKernel(slow)).toEqual({ notRun: `its WASM twin: ${late}` });
  });
});
