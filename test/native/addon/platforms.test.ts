// Addons that zig builds here for each system that option `platforms` names: their loaders find what they ask for, and need no library but
// the system's own. Those for ARM and Linux are run by test/arm; macOS runs none of them here.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CSource, generateC, targetFor, targets } from "../../../src/compiler/index.ts";
import { type AddonOptions, buildNative } from "../../../src/native/addon/build.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { platformFor, platformNames } from "../../../src/native/toolchain/platform.ts";
import { packedGemm } from "../../compiler/codegen/c/flat-functions.ts";
import { partialMoves } from "../../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../../compiler/codegen/wasm/random-flat.ts";
import { readMachO } from "../../support/mach-o.ts";
import { readPortableExecutable } from "../../support/portable-executable.ts";
import { inTempDir, project, toolchains } from "../compiled.ts";

const hasZig = toolchains.some(({ family }) => family === "zig");
const product = packedGemm({ m: 4, n: 16, k: 4 }, { mr: 2, nr: 16, lanes: 4 });
/** Symbols by which Node finds a module, and one addon the threads of another. */
const found = ["napi_register_module_v1", "node_api_module_get_api_version_v1", "uk_share_1"];

type Platform = (typeof platformNames)[number];

/** The bytes of an addon of these kernels for a system. */
const addonOf = (
  sources: readonly CSource[],
  platform: Platform,
  options: Partial<AddonOptions> = {},
): Promise<Buffer> =>
  inTempDir(async (outDir) => {
    const [toolchain] = await detectToolchains({ project, platform }, ["zig"]);
    const built = await buildNative(sources, { outDir, toolchain: toolchain!, timeoutMs: 600_000, ...options });
    if (built.kind !== "native") throw new Error(built.reason);
    return readFileSync(built.path);
  });

/** The bytes of an addon for a system, with the features of what stands for AVX2 there. */
function addonFor(platform: Platform): Promise<Buffer> {
  const target = targets[targetFor(targets.avx2, platform.endsWith("-arm64") ? "arm64" : "x64")];
  return addonOf([generateC(product, target, { numerics: "fast" })], platform);
}

describe.skipIf(!hasZig)(`addons for other systems, zig${hasZig ? "" : " (no zig here, or not asked for)"}`, () => {
  test.each([
    ["linux-x64", 62],
    ["linux-arm64", 183],
  ] as const)("are ELF for %s", async (platform, machine) => {
    const addon = await addonFor(platform);
    expect(addon.toString("latin1", 1, 4)).toBe("ELF");
    expect(addon.readUInt16LE(18)).toBe(machine);
  });

  test.each(["darwin-x64", "darwin-arm64"] as const)("are Mach-O for %s", async (platform) => {
    const addon = readMachO(await addonFor(platform));
    expect(addon).toMatchObject({
      processor: platform.slice("darwin-".length),
      libraries: ["/usr/lib/libSystem.B.dylib"],
      isSigned: platform === "darwin-arm64",
    });
    expect(addon.defined).toEqual(expect.arrayContaining(found.map((name) => `_${name}`)));
    expect(addon.fromAnywhere.filter((name) => !name.startsWith("_napi_"))).toEqual([]);
    expect(addon.fromAnywhere).toContain("_napi_create_function");
    expect(addon.fromLibraries).toContain("_pthread_create");
  });

  test.each(["win32-x64", "win32-arm64"] as const)(
    "are libraries of Windows for %s, and want none but its own",
    async (platform) => {
      const { processor, imports, exports } = readPortableExecutable(await addonFor(platform));
      expect(processor).toBe(platform.slice("win32-".length));
      expect([...exports].sort()).toEqual(found);
      expect(Object.keys(imports).sort()).toEqual(["KERNEL32.dll", "NODE.EXE", "ucrtbase.dll"]);
      expect(imports["NODE.EXE"]!.filter((name) => !name.startsWith("napi_"))).toEqual([]);
      // No program reads the registers of an ARM processor by itself.
      expect(imports["KERNEL32.dll"]!.includes("IsProcessorFeaturePresent")).toBe(platform === "win32-arm64");
    },
  );

  // The linker of Windows refuses a function that no library has; that of Linux leaves it to the loader.
  test.each([targets.avx2, targets.avx512, targets.neon, targets["neon-i8mm"]])(
    "have on Windows all functions that kernels for $name call",
    async (target) => {
      const platform = platformFor(target, "win32-x64") as Platform;
      const drawn = fc.sample(
        fc.gen().map((gen) => randomFlat(gen)),
        { numRuns: 30, seed: 11 },
      );
      const functions = [...drawn, ...partialMoves().map(({ func }) => func)];
      const sources = functions.map((func) => generateC(func, target, { numerics: "strict" }));
      const { imports } = readPortableExecutable(await addonOf(sources, platform, { bench: true }));
      expect(Object.keys(imports).sort()).toEqual(["KERNEL32.dll", "NODE.EXE", "ucrtbase.dll"]);
    },
  );

  test("are the same bytes in each build", async () => {
    for (const platform of platformNames) expect(await addonFor(platform)).toEqual(await addonFor(platform));
  });
});
