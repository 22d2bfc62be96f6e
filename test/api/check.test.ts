// Artifacts that are run before anyone has them: a compiler that computes something else is found out.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { build, load, predictSchedule } from "../../src/api/index.ts";
import { gemm } from "../../src/compiler/ops/index.ts";
import { skipReason, toolchains } from "../native/compiled.ts";

const op = gemm({ M: 8, N: 8, K: 8 });
const gcc = toolchains.find(({ family }) => family === "gcc");
const without = skipReason ?? (gcc ? null : "no gcc");

describe.skipIf(without !== null)(`a compiler of kernels for AVX2${without ? ` (${without})` : ""}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "api-check-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Puts a gcc first on the PATH that compiles another text than it is given. */
  function disturbed(edit: string): void {
    const real = execFileSync("sh", ["-c", "command -v gcc"], { encoding: "utf8" }).trim();
    const script = `#!/bin/sh\n[ -f kernels.c ] && sed -i '${edit}' kernels.c\nexec ${real} "$@"\n`;
    const bin = mkdtempSync(join(folder, "bin-"));
    writeFileSync(join(bin, "gcc"), script, { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    vi.stubEnv("UNPLUGIN_KERNEL_COMPILER", "gcc");
  }

  const options = { target: "avx2", outDir: join(folder, "kernels") } as const;
  const built = (check = true) => build(op, predictSchedule(op, options), { ...options, check });

  test("that is right gives an artifact", async () => {
    vi.stubEnv("UNPLUGIN_KERNEL_COMPILER", "gcc");
    const kernel = load(await built());
    const ones = new Float32Array(64).fill(1);
    expect(kernel(ones, ones)).toEqual(new Float32Array(64).fill(8));
    vi.unstubAllEnvs();
  });

  test.each([
    ["computes something else", "s/ \\* / + /g"],
    ["crashes", "s/) {$/) { *(volatile int *)8 = 1;/"],
  ])("that makes what %s is found out, unless nobody looks", async (_, edit) => {
    disturbed(edit);
    await expect(built()).rejects.toThrow(/^verify\.wrong: kernel: its kernel for avx2: /);
    expect((await built(false)).kind).toBe("native");
    vi.unstubAllEnvs();
  });
});
