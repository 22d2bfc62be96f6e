// Builds: the same bytes everywhere, nothing left behind, failures as values, what a wrong machine gets.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { execa } from "execa";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CSource, generateC, targets } from "../../../src/compiler/index.ts";
import { buildEach, buildNative } from "../../../src/native/addon/build.ts";
import { loadNative } from "../../../src/native/load/load-native.ts";
import { packedGemm } from "../../compiler/codegen/c/flat-functions.ts";
import { randomFlat } from "../../compiler/codegen/wasm/random-flat.ts";
import { eachCompiler, inTempDir, toolchain as preferred, skipReason } from "../compiled.ts";

const gemm = generateC(packedGemm({ m: 4, n: 16, k: 4 }, { mr: 2, nr: 16, lanes: 8 }), targets.avx2, {
  numerics: "fast",
});
const bad: CSource = { ...gemm, text: `void ${gemm.name}(void *const *args, void *workspace) { nonsense(; }\n` };

eachCompiler("builds", ({ toolchain }) => {
  test("two directories hold byte-identical addons, named by content", async () => {
    await inTempDir(async (folder) => {
      const outDirs = [join(folder, "a"), join(folder, "some where", "else")];
      const built = await Promise.all(outDirs.map((outDir) => buildNative([gemm], { outDir, toolchain })));
      const paths = built.map((artifact) => (artifact.kind === "native" ? artifact.path : artifact.reason));
      expect(basename(paths[0]!)).toBe(basename(paths[1]!));
      expect(basename(paths[0]!)).toMatch(/^gemm_f32_4x16x4__2x16-[0-9a-f]{16}\.node$/);
      const [first, second] = paths.map((path) => readFileSync(path));
      expect(first!.equals(second!)).toBe(true);
      expect(outDirs.flatMap((outDir) => readdirSync(outDir))).toHaveLength(2);
      expect(first!.includes(folder)).toBe(false);
    });
  });

  test("a text that does not compile is a value with the compiler's words, and nothing is left", async () => {
    await inTempDir(async (outDir) => {
      const result = await buildNative([bad], { outDir, toolchain });
      expect(result).toEqual({ kind: "build-failed", reason: expect.stringMatching(/^kernels\.c:\d+:\d+: error: /) });
      expect(readdirSync(outDir)).toEqual([]);
    });
  });

  test("in a batch, a bad kernel costs only itself", async () => {
    await inTempDir(async (outDir) => {
      const built = await buildEach([gemm, bad, gemm], { outDir, toolchain });
      expect(built.map(({ kind }) => kind)).toEqual(["built", "build-failed", "built"]);
    });
  });

  test("operators may have the names of keywords, attributes and functions of C", async () => {
    const sources = ["double", "aligned", "malloc", "a", "restrict"].map((name) => {
      return generateC({ ...packedGemm({ m: 2, n: 8, k: 2 }, { mr: 2, nr: 8, lanes: 8 }), name }, targets.avx2, {
        numerics: "fast",
      });
    });
    await inTempDir(async (outDir) => {
      expect(await buildNative(sources, { outDir, toolchain })).toMatchObject({ kind: "native" });
    });
  });

  test("an aborted build rejects with the reason and leaves nothing", async () => {
    await inTempDir(async (outDir) => {
      const sources = Array.from({ length: 16 }, () =>
        generateC(packedGemm({ m: 32, n: 64, k: 64 }, { mr: 8, nr: 64, lanes: 8 }), targets.avx2, { numerics: "fast" }),
      );
      const reason = new Error("enough");
      const controller = new AbortController();
      const build = buildNative(sources, { outDir, toolchain, signal: controller.signal });
      setTimeout(() => controller.abort(reason), 60);
      await expect(build).rejects.toBe(reason);
      expect(readdirSync(outDir)).toEqual([]);
    });
  });

  test("a compiler that hangs costs its deadline", async () => {
    await inTempDir(async (folder) => {
      const path = join(folder, "gcc");
      writeFileSync(path, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
      mkdirSync(join(folder, "out"));
      const hanging = { ...toolchain, path };
      const result = await buildNative([gemm], { outDir: join(folder, "out"), toolchain: hanging, timeoutMs: 200 });
      expect(result).toEqual({ kind: "build-failed", reason: "the compiler took longer than 200 ms" });
      expect(readdirSync(join(folder, "out"))).toEqual([]);
    });
  });

  test("avx512 texts compile here, though they may not run", async () => {
    const functions = fc.sample(
      fc.gen().map((gen) => randomFlat(gen)),
      { numRuns: 30, seed: 7 },
    );
    const gemm512 = packedGemm({ m: 28, n: 32, k: 8 }, { mr: 14, nr: 32, lanes: 16 });
    const sources = [gemm512, ...functions].map((func) => generateC(func, targets.avx512, { numerics: "fast" }));
    await inTempDir(async (outDir) => {
      expect(await buildNative(sources, { outDir, toolchain })).toMatchObject({ kind: "native" });
    });
  });
});

describe.skipIf(skipReason)("loading", () => {
  test("a CPU without the features, a file that is none, and --no-addons are reasons, not crashes", async () => {
    await inTempDir(async (outDir) => {
      const artifact = await buildNative([gemm], { outDir, toolchain: preferred! });
      if (artifact.kind === "build-failed") throw new Error(artifact.reason);
      expect(loadNative(artifact.path, { features: ["avx2", "fma"], cpu: ["avx2"] })).toEqual({
        kind: "unavailable",
        reason: "this CPU lacks fma",
      });
      writeFileSync(join(outDir, "text.node"), "no addon");
      expect(loadNative(join(outDir, "text.node"), { features: [] })).toEqual({
        kind: "unavailable",
        reason: expect.stringContaining("text.node"),
      });
      const script = `try { process.dlopen({ exports: {} }, ${JSON.stringify(artifact.path)}) } catch (e) { console.log(e.code) }`;
      const { stdout } = await execa(process.execPath, ["--no-addons", "-e", script]);
      expect(stdout).toBe("ERR_DLOPEN_DISABLED");
    });
  });
});
