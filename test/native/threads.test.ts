// Loops that threads share: right for all callers, on any thread, and one set of threads for a process.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { generateC, type Target, targets } from "../../src/compiler/index.ts";
import type { LoopFunc, Stmt } from "../../src/compiler/ir/loop-ir.ts";
import { buildNative } from "../../src/native/addon/build.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { inTempDir, skipReason, toolchain } from "./compiled.ts";
import { expected, input, length, parts, turning } from "./turning.ts";

const threads = 4;
const target: Target = { ...targets.avx2, threads };

const serial = (stmt: Stmt): Stmt =>
  stmt.kind === "seq"
    ? { ...stmt, body: stmt.body.map(serial) }
    : stmt.kind === "for"
      ? { ...stmt, mark: "serial" }
      : stmt;

const sourceOf = (func: LoopFunc) => generateC(func, target, { numerics: "strict" });

const threadsOfProcess = (): number => readdirSync("/proc/self/task").length;

async function load(
  outDir: string,
  func: LoopFunc,
): Promise<{ readonly path: string; readonly kernels: NativeKernels }> {
  const artifact = await buildNative([sourceOf(func)], { outDir, toolchain: toolchain! });
  if (artifact.kind === "build-failed") throw new Error(artifact.reason);
  const loaded = loadNative(artifact.path, { features: target.features });
  if (loaded.kind === "unavailable") throw new Error(loaded.reason);
  return { path: artifact.path, kernels: loaded.kernels };
}

test("what every part writes anew is the thread's own, what parts write apart is all threads'", () => {
  const { text, workspaceBytes, threads: own } = sourceOf(turning("turning"));
  expect(own).toBe(threads);
  expect(workspaceBytes).toBe((parts * length + threads * length) * 8);
  expect(text).toContain("static void turning_part0(void *shared, long p, long slot) {");
  expect(text).toContain(
    `double *restrict t = (void *)((char *)workspace + ${parts * length * 8} + slot * ${length * 8});`,
  );
  expect(text).toContain("double *restrict s = (void *)((char *)workspace + 0);");
  expect(text).toContain(`share(turning_part1, (void *[]){(void *)args, workspace}, ${parts}, ${threads});`);
});

test.each([
  ["the target has one thread", turning("turning"), 1],
  ["no loop is parallel", { ...turning("serial"), body: serial(turning("serial").body) }, threads],
])("where %s, all loops are in the kernel", (_, func, targetThreads) => {
  const { text, threads: own } = generateC(func, { ...target, threads: targetThreads }, { numerics: "strict" });
  expect(own).toBe(1);
  expect(text).not.toContain("share");
});

describe.skipIf(skipReason)(`shared loops${skipReason ? ` (${skipReason})` : ""}`, () => {
  test("give what one thread gives, again and again", () =>
    inTempDir(async (outDir) => {
      const { kernels } = await load(outDir, turning("turning"));
      for (let call = 0; call < 2000; call++) {
        const y = new Float64Array(input.length);
        kernels.call(0, input, y);
        if (call % 100 === 0) expect(y).toEqual(expected);
        else expect(y[call % y.length]).toBe(expected[call % y.length]);
      }
    }));

  test("are right for many callers at once, off the event loop and in workers", () =>
    inTempDir(async (outDir) => {
      const { path, kernels } = await load(outDir, turning("turning"));
      const inWorkers = Array.from({ length: 3 }, () => callInWorker(path, 300));
      const outputs = Array.from({ length: 64 }, () => new Float64Array(input.length));
      await Promise.all(outputs.map((y) => kernels.callAsync(0, input, y)));
      for (const y of outputs) expect(y).toEqual(expected);
      expect(await Promise.all(inWorkers)).toEqual([0, 0, 0]);
    }));

  test.skipIf(process.platform !== "linux")(
    "have one set of threads, whatever addon they are called from (only Linux tells how many there are)",
    () =>
      inTempDir(async (outDir) => {
        const first = await load(outDir, turning("turning"));
        const y = new Float64Array(input.length);
        first.kernels.call(0, input, y);
        const before = threadsOfProcess();
        const second = await load(outDir, turning("again"));
        second.kernels.call(0, input, y);
        expect(y).toEqual(expected);
        expect(threadsOfProcess()).toBe(before);
      }),
  );

  test("outlive the worker that came first", () =>
    inTempDir(async (outDir) => {
      const artifact = await buildNative([sourceOf(turning("turning"))], { outDir, toolchain: toolchain! });
      if (artifact.kind === "build-failed") throw new Error(artifact.reason);
      for (let worker = 0; worker < 3; worker++) expect(await callInWorker(artifact.path, 50)).toBe(0);
    }));
});

/** Wrong elements in so many calls. */
function callInWorker(path: string, calls: number): Promise<number> {
  const worker = new Worker(fileURLToPath(new URL("threads-worker.mjs", import.meta.url)), {
    workerData: { path, calls, input, expected },
  });
  return new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
}
