// A bundle whose kernels share a total of seconds: equal operators in two files are tuned once, the others beside them, and
// the summary says so.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { openDatabase } from "../../src/tuner/record/database.ts";
import { buildApp, runMoved, writeApp } from "../support/build-app.ts";
import { gemmText } from "../support/compile-app.ts";

const main = `
import gemm from "./gemm.op.ts?tune=wasm";
import product from "./product.op.ts?tune=wasm";
import twice from "./twice.op.ts?tune=wasm";
const A = Float32Array.from({ length: 64 }, (_, i) => (i % 7) - 3);
const B = Float32Array.from({ length: 128 }, (_, i) => (i % 5) - 2);
const sums = [gemm, product, twice].map((kernel) => [...kernel(A, B)]);
const right = Array.from({ length: 128 }, (_, at) => {
  let sum = 0;
  for (let k = 0; k < 8; k++) sum += A[Math.floor(at / 16) * 8 + k] * B[k * 16 + (at % 16)];
  return sum;
});
const wrong = sums.map((C, which) => C.filter((value, at) => value !== right[at] * (which === 2 ? 2 : 1)).length);
console.log(JSON.stringify({ wrong, names: [gemm, product, twice].map((kernel) => kernel.info.op) }));`;

it("a total is shared, and so is the tuning of equal kernels", async () => {
  const root = writeApp({
    "src/main.js": main,
    "src/gemm.op.ts": gemmText(),
    "src/product.op.ts": gemmText(),
    "src/twice.op.ts": gemmText({ twice: true }),
  });
  const compiled: CompiledKernel[] = [];
  const recording: CompileKernel = async (request, services) => {
    const kernel = await compileKernel(request, services);
    compiled.push(kernel);
    return kernel;
  };
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const options = { cacheDir: "store", budget: { total: 3, trials: 16 }, logLevel: "info" } as const;
  await buildApp("rollup", root, recording, options);
  const right = { wrong: [0, 0, 0], names: ["gemm", "product", "twice"] };
  expect(runMoved(root)).toEqual(right);
  expect(compiled.map(({ origin }) => origin).sort()).toEqual(["shared", "tuned", "tuned"]);
  const measured = compiled.reduce((sum, { measurements }) => sum + measurements, 0);
  expect(openDatabase(join(root, "store/records.jsonl")).records({ task: null, targetClass: null })).toHaveLength(
    measured,
  );
  for (const { origin, measurements } of compiled) expect(measurements > 0).toBe(origin === "tuned");
  expect(said.mock.lastCall?.[0]).toMatch(
    new RegExp(`3 kernels: 2 tuned, 1 shared, ${measured} measured, 0 compiler runs, `),
  );
  const lock = readFileSync(join(root, "kernels.lock.json"), "utf8");
  expect(Object.keys(JSON.parse(lock).kernels)).toHaveLength(3);
  await buildApp("esbuild", root, recording, options);
  expect(runMoved(root)).toEqual(right);
  expect(compiled.slice(3).map(({ origin }) => origin)).toEqual(["lock", "lock", "lock"]);
  expect(readFileSync(join(root, "kernels.lock.json"), "utf8")).toBe(lock);
});
