// The whole line: a small operator is tuned for WASM once; after that lock and store decide, and in CI the lock alone.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cpuFeatures } from "../../src/native/machine/cpu-features.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { buildApp, hosts, outputFiles, runMoved, writeApp } from "../support/build-app.ts";
import { noAddon } from "../support/fake-kernel.ts";
import { inTurn } from "../support/long.ts";
import { relaxedOf, wasmOf } from "../support/parts-of.ts";

const turn = inTurn(7);

const operator = `import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";
export default defineOp({ M: 16, N: 24, K: 8 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});
`;
// Small integers, so that every order of the sum gives the same bits; the loops beside the kernel are the check.
const main = `import gemm from "./gemm.op.ts?tune=wasm&sync=0&trials=24&seconds=20";
  const { M, N, K } = gemm.info.parameters;
  const A = Float32Array.from({ length: M * K }, (_, i) => (i % 7) - 3);
  const B = Float32Array.from({ length: K * N }, (_, i) => (i % 5) - 2);
  const C = gemm(A, B);
  let wrong = 0;
  for (let i = 0; i < M; i++) for (let j = 0; j < N; j++) {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
    if (C[i * N + j] !== sum) wrong++;
  }
  console.log(JSON.stringify({ wrong, twin: gemm.info.twin.replace("-relaxed", ""), schedule: gemm.info.schedule }));`;

describe("a tuned kernel", () => {
  const root = writeApp({ "src/main.js": main, "src/gemm.op.ts": operator });
  const lockfile = join(root, "kernels.lock.json");
  const compiled: CompiledKernel[] = [];
  const recording: CompileKernel = async (request, services) => {
    const kernel = await compileKernel(request, services);
    compiled.push(kernel);
    return kernel;
  };
  const build = async (host: (typeof hosts)[number], options: KernelPluginOptions = {}): Promise<CompiledKernel> => {
    await buildApp(host, root, recording, { cacheDir: "store", schedules: true, ...options });
    return compiled.at(-1)!;
  };
  let first: CompiledKernel;
  let result: unknown;
  beforeAll(async () => {
    first = await build("rollup");
    result = runMoved(root);
  });

  it("is measured by the first build, and right", () => {
    expect(first.origin).toBe("tuned");
    expect(first.measurements).toBeGreaterThan(0);
    expect(result).toEqual({ wrong: 0, twin: "wasm", schedule: first.trace });
    expect(first.trace).not.toBe("");
    expect(Object.keys(JSON.parse(readFileSync(lockfile, "utf8")).kernels)).toEqual([
      expect.stringContaining("src/gemm.op.ts"),
    ]);
  });

  turn.each(hosts)("is not measured by the second, with %s", async (host) => {
    const lock = readFileSync(lockfile, "utf8");
    const again = await build(host);
    expect(again).toMatchObject({ origin: "lock", measurements: 0, compilerRuns: 0, trace: first.trace });
    expect(wasmOf(again)!.bytes).toEqual(wasmOf(first)!.bytes);
    expect(runMoved(root)).toEqual(result);
    expect(readFileSync(lockfile, "utf8")).toBe(lock);
  });

  it("is the same, byte for byte, from the lock alone", async () => {
    rmSync(join(root, "store"), { recursive: true });
    const frozen = await build("rollup", { mode: "frozen" });
    expect(frozen).toMatchObject({ origin: "lock", measurements: 0, compilerRuns: 0 });
    expect(wasmOf(frozen)!.bytes).toEqual(wasmOf(first)!.bytes);
    expect(relaxedOf(frozen)!.bytes).toEqual(relaxedOf(first)!.bytes);
    expect(outputFiles(root).filter((name) => name.endsWith(".wasm"))).toHaveLength(2);
    expect(runMoved(root)).toEqual(result);
  });

  turn("that the lock does not know is an error in frozen, or predicted where that is asked for", async () => {
    const other = writeApp({ "src/main.js": main, "src/gemm.op.ts": operator });
    const options = { cacheDir: "store", mode: "frozen" } as const;
    await expect(buildApp("rollup", other, compileKernel, options)).rejects.toThrow(
      `frozen.miss: src/gemm.op.ts?tune=wasm is not in kernels.lock.json
  hint: run npx unplugin-kernel tune on a machine of your own, and commit kernels.lock.json`,
    );
    await buildApp("rollup", other, recording, { ...options, onMiss: "fallback" });
    expect(compiled.at(-1)).toMatchObject({ origin: "predicted", measurements: 0 });
    expect(runMoved(other)).toMatchObject({ wrong: 0 });
  });
});

describe("in CI", () => {
  afterEach(() => void vi.unstubAllEnvs());

  turn.each(["rollup", "vite", "webpack"] as const)(
    "%s with an empty store fails at once and says what to do",
    async (host) => {
      vi.stubEnv("CI", "1");
      // No mode: the environment decides.
      const ofCi = { cacheDir: "store", mode: undefined } as unknown as KernelPluginOptions;
      const root = writeApp({ "src/main.js": main, "src/gemm.op.ts": operator });
      const building = buildApp(host, root, compileKernel, ofCi);
      await expect(building).rejects.toThrow("frozen.miss: src/gemm.op.ts?tune=wasm is not in kernels.lock.json");
      expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
    },
  );
});

const noAvx2 = noAddon ?? (cpuFeatures().includes("avx2") ? null : "this CPU has no avx2");

describe("a kernel for the CPU's own instructions", () => {
  turn.skipIf(noAvx2).each(hosts)(
    `answers, and its twin where addons are forbidden, with %s${noAvx2 ? ` (${noAvx2})` : ""}`,
    async (host) => {
      const native = main.replace("tune=wasm&sync=0", "tune=avx2");
      const root = writeApp({ "src/main.js": native, "src/gemm.op.ts": operator });
      const options = { cacheDir: "store", mode: "predict" } as const;
      await buildApp(host, root, compileKernel, options);
      expect(runMoved(root)).toMatchObject({ wrong: 0, twin: "native" });
      await buildApp(host, root, compileKernel, options);
      expect(runMoved(root, "main.mjs", ["--no-addons"])).toMatchObject({ wrong: 0, twin: "wasm" });
    },
  );
});
