// The workers that calls off the event loop of WASM kernels run in, seen from outside: how many, what they forget, what happens
// when one ends.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { CompiledKernel } from "../../../src/plugin/kernel/compiled-kernel.ts";
import { compileIn } from "../../support/compile-app.ts";
import { patienceMs } from "../../support/eventually.ts";
import { expected, fakeKernel } from "../../support/fake-kernel.ts";
import { writeModule } from "../../support/load-module.ts";

/** Runs a script in a Node that notes the workers which are started, and what they are told; gives what it leaves in `result`. */
function inNode(kernels: readonly CompiledKernel[], script: string): unknown {
  const modules = kernels.map((kernel) => pathToFileURL(writeModule(kernel)).href);
  const text = `
    const threads = process.getBuiltinModule("node:worker_threads");
    const started = [], told = [];
    threads.Worker = class extends threads.Worker {
      constructor(...given) {
        super(...given);
        started.push(this);
      }
      postMessage(message, transfer) {
        told.push(message);
        super.postMessage(message, transfer);
      }
    };
    const kernels = [];
    for (const module of ${JSON.stringify(modules)}) kernels.push((await import(module)).default);
    let result;
    ${script}
    console.log(JSON.stringify(result));`;
  const flags = ["--expose-gc", "--input-type=module", "-e", text];
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8", timeout: patienceMs }));
}

const inputs = "Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1)";

test("kernels share few workers, and one where calls come one after another", () => {
  const kernels = Array.from({ length: 6 }, () => fakeKernel());
  const [results, first, all] = inNode(
    kernels,
    `for (const kernel of kernels) await kernel.async(${inputs});
     const first = started.length;
     const calls = kernels.flatMap((kernel) => [kernel.async(${inputs}), kernel.async(${inputs})]);
     result = [(await Promise.all(calls)).map((it) => [...it]), first, started.length];`,
  ) as [number[][], number, number];
  expect(results).toEqual(Array.from({ length: 12 }, () => expected("wasm")));
  expect(first).toBe(1);
  expect(all).toBe(Math.min(4, availableParallelism()));
});

test("a worker that ends fails the calls that it has, and others answer", () => {
  const [failures, others, next] = inNode(
    [fakeKernel()],
    // A worker may have answered all before it ends: then it is tried again.
    `const failures = new Set(), others = new Set();
     for (let round = 0; round < 50 && failures.size === 0; round++) {
       await kernels[0].async(${inputs});
       const calls = Array.from({ length: 2000 }, () => kernels[0].async(${inputs}).then((it) => [...it], (error) => error.message));
       for (let turn = 0; turn < 50; turn++) await null;
       // This one has answered before.
       started[round].terminate();
       for (const it of await Promise.all(calls)) typeof it === "string" ? failures.add(it) : others.add(JSON.stringify(it));
     }
     result = [[...failures], [...others].map((text) => JSON.parse(text)), [...(await kernels[0].async(${inputs}))]];`,
  ) as [string[], number[][], number[]];
  expect(failures).toEqual(["blend.async: its worker failed: it ended"]);
  for (const result of others) expect(result).toEqual(expected("wasm"));
  expect(next).toEqual(expected("wasm"));
});

test.each([
  ["ends before it is ready, as under a page's policy", "return new Worker('process.exit()', { eval: true });"],
  ["cannot be made", "throw new Error('no workers here');"],
])("where a worker %s, calls compute on their own thread", async (_, made) => {
  const result = inNode(
    [fakeKernel()],
    `const { Worker } = threads;
     let tried = 0;
     process.getBuiltinModule("node:worker_threads").Worker = function () { tried += 1; ${made} };
     const calls = [kernels[0].async(${inputs}), kernels[0].async(${inputs})];
     const results = (await Promise.all(calls)).map((it) => [...it]);
     results.push([...(await kernels[0].async(${inputs}))]);
     result = [results, tried];`,
  );
  expect(result).toEqual([[expected("wasm"), expected("wasm"), expected("wasm")], expect.any(Number)]);
  const [, tried] = result as [unknown, number];
  expect(tried).toBeLessThanOrEqual(2);
});

test("layers that nobody has any more are forgotten", async () => {
  const root = mkdtempSync(join(tmpdir(), "async-workers-"));
  mkdirSync(join(root, "src"));
  const operator = `
    import { withConstants } from "unplugin-kernel/op";
    import { gemm } from "unplugin-kernel/ops";
    export default withConstants(gemm({ M: 32, N: 64, K: 64 }), "B");`;
  writeFileSync(join(root, "src/gemm.op.ts"), operator);
  const { kernel } = await compileIn(root, { options: { mode: "predict" }, request: { mode: "predict" } });
  const result = inNode(
    [kernel],
    `const A = new Float32Array(32 * 64).fill(1), kept = kernels[0].pack({ B: new Float32Array(64 * 64).fill(1) });
     const sum = async (layer) => (await layer.async(A)).reduce((sum, it) => sum + it, 0);
     const sums = [];
     for (const value of [2, 3, 4]) sums.push(await sum(kernels[0].pack({ B: new Float32Array(64 * 64).fill(value) })));
     sums.push(await sum(kept));
     const forgotten = () => told.flatMap(({ forget }) => forget ?? []).sort();
     for (let turn = 0; turn < 100 && forgotten().length < 3; turn++) {
       gc();
       await new Promise((resolve) => setTimeout(resolve, 10));
     }
     result = [sums, forgotten(), await sum(kept)];`,
  );
  const one = 32 * 64 * 64;
  expect(result).toEqual([[2 * one, 3 * one, 4 * one, one], [1, 2, 3], one]);
});
