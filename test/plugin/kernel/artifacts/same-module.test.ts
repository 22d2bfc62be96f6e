// The build that tunes a kernel, one that finds it in the store, and one that finds it in the lock: the same module, to the byte.

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { emitModule } from "../../../../src/plugin/binding/module/module.ts";
import { placeAssets } from "../../../../src/plugin/binding/module/place.ts";
import { runtimeUrls } from "../../../../src/plugin/binding/runtime-files.ts";
import type { CompiledKernel } from "../../../../src/plugin/kernel/compiled-kernel.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";

const moduleOf = (kernel: CompiledKernel): string =>
  emitModule(
    kernel,
    placeAssets(kernel, "node", true, ({ fileName }) => fileName),
    { files: runtimeUrls() },
  );

test("a kernel's module says the same speed wherever its decision comes from", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const kernels: CompiledKernel[] = [];
  for (const lost of ["nothing", "nothing", "kernels.lock.json"]) {
    rmSync(`${root}/${lost}`, { force: true });
    kernels.push((await compileIn(root)).kernel);
  }
  expect(kernels.map(({ origin }) => origin)).toEqual(["tuned", "lock", "store"]);
  const [tuned, ...others] = kernels.map(moduleOf);
  expect(tuned).toContain("gflops");
  expect(others).toEqual([tuned, tuned]);
});
