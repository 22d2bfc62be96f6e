// Emitted modules of WASM kernels whose loops threads share: in Node, in a browser's way, and where nothing can be shared.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect } from "vitest";
import type { CompiledKernel } from "../../../src/plugin/kernel/compiled-kernel.ts";
import type { AnyKernel } from "../../../src/plugin/options/types.ts";
import { compileIn } from "../../support/compile-app.ts";
import { loadModule, writeModule } from "../../support/load-module.ts";
import { inTurn } from "../../support/long.ts";
import { wasmOf } from "../../support/parts-of.ts";

const turn = inTurn(2);

const [M, N, K] = [96, 64, 48];
const root = mkdtempSync(join(tmpdir(), "wasm-threads-"));
mkdirSync(join(root, "src"));
writeFileSync(
  join(root, "src/gemm.op.ts"),
  `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: ${M}, N: ${N}, K: ${K} });\n`,
);

const integers = (length: number, salt: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);
const [A, B] = [integers(M * K, 1), integers(K * N, 2)];
const product = Float32Array.from({ length: M * N }, (_, at) => {
  const [i, j] = [Math.floor(at / N), at % N];
  return A.subarray(i * K, i * K + K).reduce((sum, a, k) => sum + a * B[k * N + j]!, 0);
});

let kernel: CompiledKernel;
beforeAll(async () => {
  kernel = (await compileIn(root, { options: { mode: "predict" }, request: { mode: "predict", threads: 2 } })).kernel;
});

describe("in Node", () => {
  turn("it is right on its own arrays, on foreign ones, and off the event loop", async () => {
    expect(wasmOf(kernel)!.sharing?.threads).toBe(2);
    const gemm: AnyKernel = await loadModule(kernel);
    const own = gemm.buffers() as Record<"A" | "B" | "C", Float32Array>;
    own.A.set(A);
    own.B.set(B);
    const C = new Float32Array(M * N);
    for (let call = 0; call < 300; call++) {
      expect(gemm(A, B, C.fill(0))).toBe(C);
      gemm(own.A, own.B, own.C.fill(0));
      expect(C[call]).toBe(product[call]);
      expect(own.C[call]).toBe(product[call]);
    }
    expect(C).toEqual(product);
    expect(own.C).toEqual(product);
    expect(await Promise.all([gemm.async(A, B), gemm.async(own.A, own.B)])).toEqual([product, product]);
    expect(gemm.info.twinReason ?? "").not.toContain("thread");
  });
});

/** Output of a call in a Node that counts as a browser to the module. */
function inBrowser(before: string): string {
  const script = `process.getBuiltinModule = undefined; ${before}
    const { default: gemm } = await import(${JSON.stringify(pathToFileURL(writeModule(kernel, "browser")).href)});
    const C = gemm(new Float32Array(${M * K}).fill(2), new Float32Array(${K * N}).fill(3));
    console.log(C.every((it) => it === ${6 * K}), gemm.info.twinReason);`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).trim();
}

describe("in a browser's way", () => {
  turn("it goes on alone where no worker may be started", () => {
    expect(inBrowser("")).toMatch(/^true (null|the engine has no relaxed SIMD)$/);
  });

  turn("it says that a page which is not isolated has one thread", () => {
    expect(inBrowser("delete globalThis.SharedArrayBuffer;")).toMatch(
      /^true one thread: there is no SharedArrayBuffer, which a page has if it is cross-origin isolated/,
    );
  });
});

turn(
  "it is tuned with its threads, and lock and store give the same kernel; that of one thread is another",
  async () => {
    const { kernel: first } = await compileIn(root, { request: { threads: 2 } });
    expect(first.origin).toBe("tuned");
    const again = async () => (await compileIn(root, { request: { threads: 2 } })).kernel;
    const same = { origin: "lock", measurements: 0, key: first.key, twins: first.twins };
    expect(await again()).toMatchObject(same);
    rmSync(join(root, "store"), { recursive: true });
    expect(await again()).toMatchObject(same);
    const { kernel: alone } = await compileIn(root, { options: { mode: "predict" }, request: { mode: "predict" } });
    expect(wasmOf(alone)!.sharing).toBe(null);
  },
);
