// A disk that is really full: a tiny file system in memory for the cache directory. Needs the right to mount one.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { wasmOf } from "../../../support/parts-of.ts";
import { canMount, smallDisk } from "../../../support/small-disk.ts";

const turn = inTurn(4);

const disk = smallDisk("160k");

/** Leaves `bytes` free, as near as blocks allow. */
function fillBut(bytes: number): void {
  mkdirSync(join(disk, "store"), { recursive: true });
  writeFileSync(join(disk, "ballast"), Buffer.alloc(160 * 1024 - bytes));
}

describe.skipIf(!canMount)("a full disk (needs the right to mount a tmpfs)", () => {
  turn.each([0, 4096, 8192, 16_384])("with %i bytes left costs warnings, not the build", async (left) => {
    rmSync(join(disk, "store"), { recursive: true, force: true });
    fillBut(left);
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const options = { cacheDir: join(disk, "store") };
    const first = await compileIn(root, { options });
    expect(first.kernel).toMatchObject({ origin: "tuned", measurements: 4 });
    expect(first.warnings.length).toBeGreaterThan(0);
    expect(first.warnings.length).toBeLessThanOrEqual(3);
    for (const warning of first.warnings) expect(warning).toMatch(/ENOSPC/);
    const second = await compileIn(root, { options });
    expect(second.kernel).toMatchObject({ origin: "lock", measurements: 0, trace: first.kernel.trace });
    expect(wasmOf(second.kernel)!.bytes).toEqual(wasmOf(first.kernel)!.bytes);
    rmSync(join(disk, "ballast"));
    rmSync(join(root, "kernels.lock.json"));
    const third = await compileIn(root, { options, request: { budget: { seconds: 600, trials: 5 } } });
    expect(third.warnings).toEqual([]);
  });
});
