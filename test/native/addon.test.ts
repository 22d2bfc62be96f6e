// The addon: what it does with arrays, right and wrong, on the event loop, off it, and in workers.

import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { generateC, targets } from "../../src/compiler/index.ts";
import { add, constInt, forLoop, loadOf, mul, ramp, store, variable } from "../../src/compiler/ir/build.ts";
import type { LoopFunc } from "../../src/compiler/ir/loop-ir.ts";
import { buildNative } from "../../src/native/addon/build.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { body, buffer } from "../compiler/codegen/c/flat-functions.ts";
import { compileAll, inTempDir, skipReason, toolchain } from "./compiled.ts";

/** y = 2·x by way of a workspace of `length` doubles: `t = x; y = t + t`. */
function doubling(length: number): LoopFunc {
  const [x, t, y] = [
    buffer("x", "f64", length, "input"),
    buffer("t", "f64", length, "workspace"),
    buffer("y", "f64", length, "output"),
  ];
  const at = ramp(mul(variable("i"), constInt(4)), 1, 4);
  const copy = forLoop("i", length / 4, store(t, [at], loadOf(x, [at])));
  const sum = forLoop("i", length / 4, store(y, [at], add(loadOf(t, [at]), loadOf(t, [at]))));
  return { name: "doubling", buffers: [x, y, t], body: body(copy, sum) };
}

const source = (length: number) => generateC(doubling(length), targets.avx2, { numerics: "strict" });
const kernels = skipReason ? null : await compileAll([source(8), source(4096)], { bench: true });
const ones = (length: number): Float64Array => new Float64Array(length).fill(1);

/** The error of a call, as "TypeError ERR_CODE message". */
function errorOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    return `${name} ${code} ${message}`;
  }
  return "no error";
}

describe.skipIf(skipReason)("an addon of two kernels", () => {
  const { call, callAsync, slot, bench } = kernels ?? ({} as NativeKernels);
  // biome-ignore lint/suspicious/noExplicitAny: wrong arguments are the point
  const anyCall = call as (...args: any[]) => void;

  test("runs each by its index", () => {
    for (const [index, length] of [8, 4096].entries()) {
      const y = new Float64Array(length);
      call(index, ones(length), y);
      expect(y).toEqual(new Float64Array(length).fill(2));
    }
  });

  test("reads and writes through views at any offset, also of shared memory", () => {
    const memory = new Float64Array(new SharedArrayBuffer(8 * 32)).fill(3);
    call(0, memory.subarray(1, 9), memory.subarray(9, 17));
    expect([...memory]).toEqual([...Array(9).fill(3), ...Array(8).fill(6), ...Array(15).fill(3)]);
  });

  test("runs again on the arrays of a slot's last call, and two slots do not know of each other", () => {
    const [first, second] = [slot(1), slot(1)];
    const [x, y, z] = [ones(4096), ones(4096), ones(4096)];
    expect(errorOf(() => first.again())).toBe("Error ERR_KERNEL_UNBOUND there was no call before");
    first.call(x, y);
    second.call(y, z);
    x.fill(5);
    first.again();
    expect(y).toEqual(ones(4096).fill(10));
    expect(z).toEqual(ones(4096).fill(4));
    second.again();
    expect(z).toEqual(ones(4096).fill(20));
  });

  test("forgets the arrays of a slot when a call is refused, and keeps what its functions need", () => {
    const { call: run, again } = slot(0);
    run(ones(8), ones(8));
    expect(errorOf(() => run(ones(8), ones(7)))).toBe(
      "RangeError ERR_OUT_OF_RANGE doubling: y must have 8 elements, got 7",
    );
    expect(errorOf(again)).toBe("Error ERR_KERNEL_UNBOUND there was no call before");
    expect(errorOf(() => run(ones(8)))).toBe("TypeError ERR_MISSING_ARGS doubling: takes 2 arrays, got 1");
    expect(errorOf(() => slot(2))).toBe("RangeError ERR_KERNEL_INDEX no kernel has this index");
  });

  test("refuses wrong arguments, each with the whole story", () => {
    const y = new Float64Array(8);
    const detached = ones(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const shared = new ArrayBuffer(8 * 12);
    expect([
      errorOf(() => anyCall(0, ones(8))),
      errorOf(() => anyCall(0, ones(8), y, y)),
      errorOf(() => anyCall(0, new Float32Array(8), y)),
      errorOf(() => anyCall(0, [1, 2, 3], y)),
      errorOf(() => anyCall(0, ones(8), undefined)),
      errorOf(() => anyCall(0, ones(7), y)),
      errorOf(() => anyCall(0, ones(8), new Float64Array(9))),
      errorOf(() => anyCall(0, detached, y)),
      errorOf(() => anyCall(0, y, y)),
      errorOf(() => anyCall(0, new Float64Array(shared, 0, 8), new Float64Array(shared, 32, 8))),
      errorOf(() => anyCall(2, ones(8), y)),
      errorOf(() => anyCall(-1, ones(8), y)),
      errorOf(() => anyCall()),
      errorOf(() => anyCall("0")),
    ]).toEqual([
      "TypeError ERR_MISSING_ARGS doubling: takes 2 arrays, got 1",
      "TypeError ERR_MISSING_ARGS doubling: takes 2 arrays, got 3",
      "TypeError ERR_INVALID_ARG_TYPE doubling: x must be a Float64Array of 8 elements, got Float32Array",
      "TypeError ERR_INVALID_ARG_TYPE doubling: x must be a Float64Array of 8 elements, got something else",
      "TypeError ERR_INVALID_ARG_TYPE doubling: y must be a Float64Array of 8 elements, got something else",
      "RangeError ERR_OUT_OF_RANGE doubling: x must have 8 elements, got 7",
      "RangeError ERR_OUT_OF_RANGE doubling: y must have 8 elements, got 9",
      "RangeError ERR_OUT_OF_RANGE doubling: x must have 8 elements, got 0 (is it detached?)",
      "RangeError ERR_OUT_OF_RANGE doubling: y must not overlap x",
      "RangeError ERR_OUT_OF_RANGE doubling: y must not overlap x",
      "RangeError ERR_KERNEL_INDEX no kernel has this index",
      "RangeError ERR_KERNEL_INDEX no kernel has this index",
      "RangeError ERR_KERNEL_INDEX no kernel has this index",
      "RangeError ERR_KERNEL_INDEX no kernel has this index",
    ]);
    expect([...y]).toEqual(Array(8).fill(0));
  });

  test("runs off the event loop, several at once, and refuses wrong arguments at once", async () => {
    const outputs = Array.from({ length: 8 }, () => new Float64Array(4096));
    await Promise.all(outputs.map((y, at) => callAsync(1, new Float64Array(4096).fill(at), y)));
    for (const [at, y] of outputs.entries()) expect(y).toEqual(new Float64Array(4096).fill(2 * at));
    expect(errorOf(() => callAsync(0, ones(7), ones(8)))).toBe(
      "RangeError ERR_OUT_OF_RANGE doubling: x must have 8 elements, got 7",
    );
  });

  test("times runs", () => {
    const y = new Float64Array(4096);
    const samples = bench!(1, [ones(4096), y], 5, 1e9);
    expect(samples).toHaveLength(5);
    expect(samples.every((ns) => ns > 0)).toBe(true);
    expect(y).toEqual(new Float64Array(4096).fill(2));
    expect(bench!(0, [ones(8), new Float64Array(8)], 1000, 0, 16)).toHaveLength(1);
    expect(errorOf(() => bench!(0, [ones(8)], 1, 1))).toContain("TypeError ERR_MISSING_ARGS bench:");
    expect(errorOf(() => bench!(0, [ones(8), ones(8)], 0, 1))).toContain("RangeError ERR_OUT_OF_RANGE bench: repeats");
  });

  test("works in worker threads beside the main thread, and leaves with them", async () => {
    await inTempDir(async (outDir) => {
      const artifact = await buildNative([source(4096)], { outDir, toolchain: toolchain! });
      if (artifact.kind === "build-failed") throw new Error(artifact.reason);
      const loaded = loadNative(artifact.path, { features: [] });
      expect(loaded.kind).toBe("loaded");
      const worker = fileURLToPath(new URL("./addon-worker.js", import.meta.url));
      const sums = [1, 2, 3].map(
        (value) =>
          new Promise((resolve, reject) => {
            const thread = new Worker(worker, { workerData: { path: artifact.path, value, length: 4096 } });
            thread.once("message", resolve).once("error", reject);
          }),
      );
      expect(await Promise.all(sums)).toEqual(
        [1, 2, 3].map((value) => ({ call: 8192 * value, callAsync: 8192 * value })),
      );
    });
  });
});
