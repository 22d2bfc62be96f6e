// A temporary directory or a compiler that does not serve: a warning that names it, and the WASM twin. Kernels for WASM
// need neither.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, vi } from "vitest";
import { skipReason, toolchain } from "../../../native/compiled.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { nativeOf, wasmOf } from "../../../support/parts-of.ts";
import { canMount, mount, unmount } from "../../../support/small-disk.ts";

const turn = inTurn(4);

const real = mkdtempSync(join(tmpdir(), "unusable-"));
const disk = join(real, "disk");
mkdirSync(disk);

let root = "";
beforeEach(() => {
  root = writeApp({ "src/gemm.op.ts": gemmText() });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(real, { recursive: true, force: true }));

/** Paths that are no directories of temporary files. */
const bad = {
  missing: () => join(real, "nowhere"),
  "a file": () => {
    writeFileSync(join(real, "file"), "");
    return join(real, "file");
  },
};

describe.each(["missing", "a file"] as const)("TMPDIR that is %s", (kind) => {
  turn("is not needed to tune for WASM", async () => {
    vi.stubEnv("TMPDIR", bad[kind]());
    const { kernel, warnings } = await compileIn(root);
    expect(kernel).toMatchObject({ origin: "tuned", measurements: 4 });
    expect(warnings).toEqual([]);
  });
});

describe.skipIf(skipReason)("a native kernel", () => {
  const native = { target: "avx2", fallback: "wasm" } as const;

  turn.each(["missing", "a file"] as const)("where TMPDIR is %s has its WASM twin", async (kind) => {
    const path = bad[kind]();
    vi.stubEnv("TMPDIR", path);
    const { kernel, warnings } = await compileIn(root, { request: { ...native, mode: "predict" } });
    expect([nativeOf(kernel), wasmOf(kernel) === null]).toEqual([null, false]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /the temporary directory .* \(TMPDIR\) cannot be used: (ENOENT|ENOTDIR).*the WASM twin runs/,
      ),
    ]);
    expect(warnings[0]).toContain(path);
  });

  turn("where TMPDIR is missing is predicted, as it cannot be measured", async () => {
    vi.stubEnv("TMPDIR", bad.missing());
    const { kernel, warnings } = await compileIn(root, { request: native });
    expect([kernel.origin, nativeOf(kernel), wasmOf(kernel) === null]).toEqual(["predicted", null, false]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/\(TMPDIR\) cannot be used.*it gets the predicted schedule, which was not measured$/);
  });

  turn("that must not have a twin is refused by name", async () => {
    vi.stubEnv("TMPDIR", bad.missing());
    const request = { ...native, mode: "predict", fallback: "none" } as const;
    await expect(compileIn(root, { request })).rejects.toMatchObject({
      diagnostic: { code: "temp.unusable", hint: expect.stringContaining("TMPDIR") },
    });
  });

  turn.each(["predict", "tune"] as const)(
    "of a compiler that writes nothing has its WASM twin, in mode %s",
    async (mode) => {
      const path = join(real, "gcc");
      writeFileSync(path, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      const change = () => ({ toolchain: async () => ({ ...toolchain!, path, identity: `broken ${mode}` }) });
      const { kernel, warnings } = await compileIn(root, { request: { ...native, mode }, change });
      expect([kernel.origin, nativeOf(kernel), wasmOf(kernel) === null]).toEqual(["predicted", null, false]);
      expect(warnings.at(-1)).toContain(
        `the C compiler ${path} ended with success, but wrote no addon.o; the WASM twin`,
      );
    },
  );

  turn("of a compiler that writes nothing is refused by name where it must not have a twin", async () => {
    const path = join(real, "gcc");
    writeFileSync(path, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const change = () => ({ toolchain: async () => ({ ...toolchain!, path, identity: "broken, alone" }) });
    const request = { ...native, mode: "predict", fallback: "none" } as const;
    await expect(compileIn(root, { request, change })).rejects.toMatchObject({
      diagnostic: { code: "compiler.broken", message: expect.stringContaining(path) },
    });
  });

  turn("of a compiler that refuses it is an error that says what to do", async () => {
    const path = join(real, "gcc");
    writeFileSync(path, "#!/bin/sh\necho error: planted >&2\nexit 1\n", { mode: 0o755 });
    const change = () => ({ toolchain: async () => ({ ...toolchain!, path, identity: "refusing" }) });
    await expect(compileIn(root, { request: { ...native, mode: "predict" }, change })).rejects.toMatchObject({
      diagnostic: { code: "build.failed", hint: expect.stringContaining("UNPLUGIN_KERNEL_COMPILER") },
    });
  });

  describe.skipIf(!canMount)("with a file system of its own", () => {
    afterEach(() => unmount(disk));

    turn("that is full has its WASM twin", async () => {
      mount(disk, "size=64k");
      vi.stubEnv("TMPDIR", disk);
      const { kernel, warnings } = await compileIn(root, {
        request: { ...native, mode: "predict" },
        // Another compiler to the process, so that none of its objects is known.
        change: () => ({ toolchain: async () => ({ ...toolchain!, identity: "full" }) }),
      });
      expect([nativeOf(kernel), wasmOf(kernel) === null]).toEqual([null, false]);
      expect(warnings).toEqual([
        expect.stringMatching(/\(TMPDIR\) cannot be used: .*no space left.*the WASM twin runs/is),
      ]);
    });

    turn("that is noexec is built, and not measured", async () => {
      mount(disk, "size=64m,noexec");
      vi.stubEnv("TMPDIR", disk);
      const { kernel, warnings } = await compileIn(root, { request: native });
      expect([kernel.origin, nativeOf(kernel) === null]).toEqual(["predicted", false]);
      expect(warnings).toEqual([
        expect.stringMatching(/\(TMPDIR\) cannot be used: .*failed to map.*predicted schedule/s),
      ]);
    });
  });
});
