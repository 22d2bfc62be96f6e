// Answers of a dev server: what is found stays and is written, what is guessed is not.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { wasmOf } from "../../../support/parts-of.ts";

const interim = { request: { mode: "interim" } } as const;

describe("an interim answer", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "interim-"));
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src/gemm.op.ts"), gemmText());
  });

  it("is a guess where nothing is known, for WASM alone, and leaves nothing in the store", async () => {
    const { kernel } = await compileIn(root, { request: { mode: "interim", target: "avx2" } });
    expect(kernel).toMatchObject({
      origin: "predicted",
      target: "avx2",
      twins: [{ kind: "wasm" }],
      measurements: 0,
      compilerRuns: 0,
    });
    expect(wasmOf(kernel)).not.toBe(null);
    expect(existsSync(join(root, "store"))).toBe(false);
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  });

  it("has the key of the kernel that is tuned behind it", async () => {
    const { kernel } = await compileIn(root, interim);
    expect((await compileIn(root)).kernel).toMatchObject({ origin: "tuned", key: kernel.key });
  });

  it("is the lock's where it knows the kernel, and what it takes is in the store afterwards", async () => {
    const { kernel } = await compileIn(root);
    rmSync(join(root, "store"), { recursive: true });
    const { kernel: locked } = await compileIn(root, interim);
    expect(locked).toMatchObject({ origin: "lock", trace: kernel.trace, twins: kernel.twins });
    expect(existsSync(join(root, "store"))).toBe(true);
  });
});
