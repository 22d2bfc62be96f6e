// The end of a budget: what runs is killed, what was not done is told as that and recorded nowhere.

import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatorOf, instantiate, opLibrary, sha256, targets } from "../../../src/compiler/index.ts";
import { platformHere } from "../../../src/native/toolchain/platform.ts";
import type { Toolchain } from "../../../src/native/toolchain/toolchain.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { mostCharacters, tooLarge } from "../../../src/tuner/kernel/source-size.ts";
import { memoryDatabase } from "../../../src/tuner/record/database.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { type NoTime, noTime, tooLong, withinTime } from "../../../src/tuner/support/time-limit.ts";
import { tune } from "../../../src/tuner/tuning/tune.ts";
import { measurable } from "../../../src/tuner/workbench/measurable.ts";
import { createRunnableBuilder } from "../../../src/tuner/workbench/runnable-builder.ts";
import { createWorkbench, type Workbench } from "../../../src/tuner/workbench/workbench.ts";
import { eventually } from "../../support/eventually.ts";

const op = instantiate(opLibrary.gemm({ M: 12, N: 16, K: 10, dtype: "f32" }), {}, "gemm");
const wasm: TuningTask = { op, target: targets.wasm, numerics: "fast", threads: 1 };
const native: TuningTask = { ...wasm, target: targets.avx2 };

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A compiler that starts a process which does the work, as drivers do, and never ends. */
function hangingCompiler(): { readonly toolchain: Toolchain; readonly worker: () => number } {
  const folder = mkdtempSync(join(tmpdir(), "hanging-"));
  const path = join(folder, "gcc");
  const pidFile = join(folder, "pid");
  writeFileSync(path, `#!/bin/sh\nsleep 600 &\necho $! > ${pidFile}\nwait\n`);
  chmodSync(path, 0o755);
  const identity = `hanging ${folder}`;
  const toolchain: Toolchain = { path, environment: {}, family: "gcc", version: "0", identity, platform: platformHere };
  return { toolchain, worker: () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0) };
}

const noSignals = process.platform === "win32" ? " (Windows has no process groups)" : "";

describe.skipIf(noSignals)(`a compiler that does not end${noSignals}`, () => {
  it("is killed with all that it has started when the time is over, and nothing is said of the kernels", async () => {
    const { toolchain, worker } = hangingCompiler();
    const directory = mkdtempSync(join(tmpdir(), "built-"));
    const space = generateSpace(native);
    const source = measurable(native, space, predict(space)!);
    const builder = createRunnableBuilder({ toolchain, directory });
    const end = performance.now() + 5000;
    const built = builder.build([source], 1, () => end - performance.now());
    await eventually(() => expect(worker()).toBeGreaterThan(0));
    expect(await built).toEqual([{ kind: "no-time", reason: "the compiler was not done in time" }]);
    await builder.close();
  });

  it("has failed when it takes longer than any may", async () => {
    const { toolchain, worker } = hangingCompiler();
    const { runCompiler } = await import("../../../src/native/toolchain/run-compiler.ts");
    const folder = mkdtempSync(join(tmpdir(), "run-"));
    expect(await runCompiler(toolchain, ["a.c"], { folder, timeoutMs: 3000 })).toBe(
      "the compiler took longer than 3000 ms",
    );
    await eventually(() => expect(isThere(worker())).toBe(false));
  });

  it("is killed by a signal, too", async () => {
    const { toolchain, worker } = hangingCompiler();
    const { runCompiler } = await import("../../../src/native/toolchain/run-compiler.ts");
    const controller = new AbortController();
    const folder = mkdtempSync(join(tmpdir(), "run-"));
    const run = runCompiler(toolchain, ["a.c"], { folder, timeoutMs: 60_000, signal: controller.signal });
    await eventually(() => expect(worker()).toBeGreaterThan(0));
    controller.abort(new Error("stopped"));
    await expect(run).rejects.toThrow("stopped");
    await eventually(() => expect(isThere(worker())).toBe(false));
  });
});

describe("a source that is too large", () => {
  it("is told by its length", () => {
    expect(tooLarge(mostCharacters)).toBeNull();
    expect(tooLarge(mostCharacters + 100_000)).toBe(
      "its source is too large for a compiler: 5.1 million characters, at most 5.0 million",
    );
  });

  it("is given to no compiler that has not the time for it", () => {
    expect(tooLong("it", 4000, () => 5000)).toBeNull();
    expect(tooLong("it", 9000, () => 2500)).toEqual(noTime("it would take about 9.0 s, and 2.5 s were left"));
  });
});

describe("code that is generated", () => {
  it("is left off where the time is over", () => {
    const space = generateSpace(wasm);
    let looks = 0;
    const source = measurable(wasm, space, predict(space)!, () => (++looks > 3 ? 0 : 1000));
    expect(source).toEqual(noTime("its code could not be generated in time"));
    expect(looks).toBe(4);
  });

  it("throws what goes wrong otherwise", () => {
    const broken = (): never => {
      throw new Error("a bug");
    };
    expect(() => withinTime(() => 1, broken)).toThrow("a bug");
  });
});

const timing = { medianNs: 1000, minNs: 1000, p20Ns: 1000, repeats: 5 };

/** Measures the first `most` candidates; for the others there is no time. */
function workbenchWith(most: number): Workbench & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    toolchain: "wasm",
    compilerRuns: () => 0,
    async *measure(sources) {
      for (const source of sources) {
        asked.push(sha256("reason" in source ? source.kind : generatorOf(source).code(source)));
        const late: NoTime = noTime("it could not be run in time");
        yield asked.length > most ? late : { kind: "ok", timing };
      }
      return undefined;
    },
    race: async () => ({ winner: 0, runnerUp: null, timing: null }),
    close: async () => undefined,
  };
}

describe("a tuning whose candidates are not measured in time", () => {
  const tuned = (workbench: Workbench, database = memoryDatabase()) =>
    tune(wasm, generateSpace(wasm), {
      budget: { seconds: 10, trials: 100 },
      strategy: strategies.random,
      seed: 1,
      taskKey: "0".repeat(64),
      database,
      workbench,
      clock: () => 0,
      convergence: null,
    });

  it("ends, says why, and records nothing", async () => {
    const database = memoryDatabase();
    const workbench = workbenchWith(0);
    const result = await tuned(workbench, database);
    expect(result).toMatchObject({ winner: null, measured: 0, failures: [], ended: "budget" });
    expect(result.late).toBe("it could not be run in time");
    expect(database.records({ task: null, targetClass: null })).toEqual([]);
    expect(workbench.asked.length).toBeLessThanOrEqual(24);
  });

  it("has the best of what was measured", async () => {
    const database = memoryDatabase();
    const result = await tuned(workbenchWith(30), database);
    expect(result).toMatchObject({ measured: 30, ended: "budget", winner: { medianNs: 1000 } });
    expect(database.records({ task: null, targetClass: null })).toHaveLength(30);
  });

  it("has used up what was spent before it began", async () => {
    const workbench = workbenchWith(100);
    const now = { ms: 20_000 };
    const options = { budget: { seconds: 10, trials: 100 }, strategy: strategies.random, seed: 1 };
    const where = { taskKey: "0".repeat(64), database: memoryDatabase(), workbench, clock: () => now.ms };
    const result = await tune(wasm, generateSpace(wasm), { ...options, ...where, startMs: 0 });
    expect([workbench.asked, result.ended]).toEqual([[], "budget"]);
  });
});

describe("a candidate that runs when the time is over", () => {
  it("is not one that takes too long: nothing is known of it", async () => {
    let leftMs = 1000;
    const workbench = createWorkbench({
      task: { parameters: [], inputs: [], expected: [] },
      toolchain: null,
      directory: "WASM needs none",
      runner: {
        setTask: () => undefined,
        async run({ leftMs: left }) {
          expect(left?.()).toBe(1000);
          leftMs = 0;
          return { kind: "timed-out", deadlineMs: 1000 };
        },
        sample: () => Promise.reject(new Error("no race")),
        forget: () => undefined,
        close: async () => undefined,
      },
    });
    const space = generateSpace(wasm);
    const source = measurable(wasm, space, predict(space)!);
    const { value } = await workbench.measure([source], null, undefined, () => leftMs).next();
    expect(value).toEqual(noTime("it could not be run in time"));
  });
});
