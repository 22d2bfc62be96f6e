// The kernels of one build: equal ones are tuned once, under any names of their files; the others share a total of
// seconds and one measuring process.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import type { BuildTunings } from "../../../../src/plugin/kernel/compile-services.ts";
import { openDatabase } from "../../../../src/tuner/record/database.ts";
import { createWorkbench } from "../../../../src/tuner/workbench/workbench.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, type Compiled, compileIn, gemmText } from "../../../support/compile-app.ts";
import { patienceMs } from "../../../support/eventually.ts";
import { inTurn } from "../../../support/long.ts";
import { wasmOf } from "../../../support/parts-of.ts";

const turn = inTurn(3);

const files = { "src/gemm.op.ts": gemmText(), "src/product.op.ts": gemmText(), "src/deep/gemm.op.ts": gemmText() };
const names = Object.keys(files);
const lockOf = (root: string): Record<string, { candidate: unknown; measured: unknown; source: string }> =>
  JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels;
const recordsOf = (root: string) =>
  openDatabase(join(root, "store/records.jsonl")).records({ task: null, targetClass: null });

const compileAll = (root: string, common: CompileCase = {}): Promise<Compiled[]> =>
  Promise.all(
    names.map((name) => {
      return compileIn(root, { ...common, request: { ...common.request, opFile: join(root, name) } });
    }),
  );

/** Waits until all kernels share one tuning: a kernel that comes after its end finds its schedule in the store, or tries again. */
const allWait = ({ started }: BuildTunings): Promise<boolean> =>
  vi.waitUntil(() => [...started.values()][0]?.kernels === names.length, { timeout: patienceMs });

describe("equal kernels of a build", () => {
  turn("are tuned once, and each has its own entry, which alone rebuilds it", async () => {
    const root = writeApp(files);
    const tunings = buildTunings();
    const change: CompileCase["change"] = () => ({
      workbench: async (options) => {
        await allWait(tunings);
        return createWorkbench(options);
      },
    });
    const compiled = await compileAll(root, { tunings, change });
    const [first, ...others] = compiled.map(({ kernel }) => kernel).sort((a, b) => b.measurements - a.measurements);
    expect(first).toMatchObject({ origin: "tuned", measurements: 4 });
    for (const one of others) expect(one).toMatchObject({ origin: "shared", measurements: 0, gflops: first!.gflops });
    expect(recordsOf(root)).toHaveLength(4);
    const lock = lockOf(root);
    expect(Object.keys(lock)).toEqual([...names].sort().map((name) => `${name}?tune=wasm`));
    const [entry, ...rest] = Object.values(lock);
    for (const one of rest) expect(one).toMatchObject({ candidate: entry!.candidate, measured: entry!.measured });
    const frozen = await compileAll(root, { options: { mode: "frozen", cacheDir: "elsewhere" } });
    expect(frozen.map(({ kernel }) => wasmOf(kernel)!.bytes)).toEqual(
      compiled.map(({ kernel }) => wasmOf(kernel)!.bytes),
    );
  });

  turn("are tuned once also when one comes after the other has its kernel", async () => {
    const root = writeApp(files);
    const tunings = buildTunings();
    const kernels = [];
    for (const name of names) {
      kernels.push((await compileIn(root, { tunings, request: { opFile: join(root, name) } })).kernel);
    }
    // One of the same name finds its schedule in the store.
    expect(kernels.map(({ origin }) => origin)).toEqual(["tuned", "shared", "store"]);
    expect(recordsOf(root)).toHaveLength(4);
  });

  turn(
    "all fail where the tuning that they wait for fails, and it is tried again when it is asked for again",
    async () => {
      const root = writeApp(files);
      const tunings = buildTunings();
      let opened = 0;
      const change: CompileCase["change"] = () => ({
        workbench: async (options) => {
          opened += 1;
          if (opened > 1) return createWorkbench(options);
          await allWait(tunings);
          throw new Error("no process");
        },
      });
      const results = await Promise.allSettled(
        names.map((name) => compileIn(root, { tunings, change, request: { opFile: join(root, name) } })),
      );
      expect(results.map((result) => (result.status === "rejected" ? result.reason.message : null))).toEqual(
        names.map((name) => expect.stringContaining(`kernel.bug: ${name}?tune=wasm: no process; that is a bug`)),
      );
      expect((await compileIn(root, { tunings, change })).kernel.origin).toBe("tuned");
    },
  );
});

describe("kernels that share a total", () => {
  turn("are tuned at the same time, and each has a round", async () => {
    const sizes = [8, 12, 20];
    const root = writeApp(files);
    const tunings = buildTunings(8);
    let open = 0;
    let mostOpen = 0;
    const change: CompileCase["change"] = () => ({
      workbench(options) {
        open += 1;
        mostOpen = Math.max(open, mostOpen);
        const workbench = createWorkbench(options);
        return {
          ...workbench,
          async close() {
            open -= 1;
            await workbench.close();
          },
        };
      },
    });
    const budget = { seconds: 600, trials: 16 };
    const compiled = await Promise.all(
      sizes.map((M) => compileIn(root, { tunings, change, request: { parameters: { M }, budget } })),
    );
    for (const { kernel, warnings } of compiled) {
      expect(kernel.origin).toBe("tuned");
      expect(kernel.measurements).toBeGreaterThan(0);
      expect(warnings).toEqual([]);
    }
    // On a busy machine the first may be done before the last has begun.
    expect(mostOpen).toBeGreaterThan(1);
    expect(open).toBe(0);
    expect(recordsOf(root).every(({ measurement }) => measurement.kind === "ok")).toBe(true);
  });
});
