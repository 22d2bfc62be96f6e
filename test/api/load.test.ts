// A kernel of `load` is like that of an import; where it cannot run, `load` throws at once.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build, load, predictSchedule } from "../../src/api/index.ts";
import type { CSource } from "../../src/compiler/index.ts";
import { gemm } from "../../src/compiler/ops/index.ts";

const options = { target: "wasm", parameters: { M: 4, N: 5, K: 6 } } as const;
const outDir = mkdtempSync(join(tmpdir(), "load-"));
const [A, B] = [new Float32Array(24).fill(2), new Float32Array(30).fill(3)];

test("a loaded kernel is called, waited for and asked like an imported one", async () => {
  const op = gemm({ M: 4, N: 5, K: 6 });
  const kernel = load(await build(op, predictSchedule(op, options), { ...options, outDir }));
  const product = new Float32Array(20).fill(36);
  expect(kernel(A, B)).toEqual(product);
  const C = new Float32Array(20);
  expect(kernel(A, B, C)).toBe(C);
  expect(await kernel.async(A, B)).toEqual(product);
  const own = kernel.buffers() as Record<"A" | "B" | "C", Float32Array>;
  own.A.set(A);
  own.B.set(B);
  expect(kernel(own.A, own.B, own.C)).toBe(own.C);
  expect(own.C).toEqual(product);
  expect(kernel.info).toMatchObject({
    parameters: { M: 4, N: 5, K: 6 },
    target: "wasm",
    numerics: "fast",
    gflops: null,
  });
  expect(kernel.info.schedule).not.toBe("");
  expect(kernel.info.twin).toMatch(/^wasm/);
  expect(() => kernel(A)).toThrow(/takes A, B and then none or all of C; got 1 arguments/);
});

test("an addon for another CPU is an error that says what is missing, before its file is looked at", () => {
  const source = { kind: "c", name: "gemm", parameters: [], features: ["avx1024"] } as unknown as CSource;
  expect(() => load({ kind: "native", path: "/nowhere/gemm.node", kernels: [source] })).toThrow(
    /^target\.unavailable: .*avx1024/,
  );
});
