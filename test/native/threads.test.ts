// Loops that threads share: right whoever calls them, from whatever thread, and one set of threads for a process.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { generateC, type Target, targets } from "../../src/compiler/index.ts";
import { add, constInt, forLoop, loadOf, mul, ramp, store, sub, variable } from "../../src/compiler/ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../../src/compiler/ir/loop-ir.ts";
import { buildNative } from "../../src/native/build.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { body, buffer } from "../compiler/codegen/c/flat-functions.ts";
import { inTempDir, skipReason, toolchain } from "./compiled.ts";

const [parts, length] = [13, 512];
const threads = 4;
const target: Target = { ...targets.avx2, threads };

const at = (part: Expr): Expr => add(mul(part, constInt(length)), mul(variable("i"), constInt(4)));
const inPart = ramp(mul(variable("i"), constInt(4)), 1, 4);
const turnedAround = ramp(sub(constInt(length - 1), mul(variable("i"), constInt(4))), -1, 4);
const eachVector = (stmt: Stmt): Stmt => forLoop("i", length / 4, stmt);

/**
 * Each part of x is turned around and doubled, by way of `t`, which every part writes anew. Then y gets the parts in reverse,
 * of `s`, of which each iteration reads what another loop has written.
 */
function turning(name: string): LoopFunc {
  const all = parts * length;
  const [x, y] = [buffer("x", "f64", all, "input"), buffer("y", "f64", all, "output")];
  const [t, s] = [buffer("t", "f64", length, "workspace"), buffer("s", "f64", all, "workspace")];
  const [p, q] = [variable("p"), variable("q")];
  const turnPart = body(
    eachVector(store(t, [inPart], loadOf(x, [ramp(at(p), 1, 4)]))),
    eachVector(store(s, [ramp(at(p), 1, 4)], add(loadOf(t, [turnedAround]), loadOf(t, [turnedAround])))),
  );
  const reverseParts = body(
    eachVector(store(t, [inPart], loadOf(s, [ramp(at(sub(constInt(parts - 1), q)), 1, 4)]))),
    eachVector(store(y, [ramp(at(q), 1, 4)], loadOf(t, [inPart]))),
  );
  return {
    name,
    buffers: [x, y, t, s],
    body: body(forLoop("p", parts, turnPart, "parallel"), forLoop("q", parts, reverseParts, "parallel")),
  };
}

const input = Float64Array.from({ length: parts * length }, (_, at) => at + 1);
/** All of it backwards. */
const expected = input.map((value) => 2 * value).toReversed();

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
