// Runs flat functions as C on this machine, for tests; where that is impossible it says why they are skipped.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import {
  type CpuTarget,
  type CSource,
  generateC,
  type Numerics,
  type TypedArray,
  targets,
} from "../../src/compiler/index.ts";
import type { LoopFunc } from "../../src/compiler/ir/loop-ir.ts";
import { type AddonOptions, buildNative } from "../../src/native/addon/build.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { detectMachine, missingFeatures } from "../../src/native/machine/machine.ts";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { compilerFamilies, type Toolchain } from "../../src/native/toolchain/toolchain.ts";

/** `npm run test:zig` installs zig outside this project and says where. */
export const project = process.env.ZIG_PROJECT ?? process.cwd();
const found = await detectToolchains({ project });

const machine = detectMachine();

/** Returns the reason why kernels for this target cannot run here, with any compiler; null if they can. */
export function lackOf(target: CpuTarget): string | null {
  const missing = missingFeatures(target, machine);
  return missing.length > 0 ? `this CPU lacks ${missing.join(", ")}` : null;
}

/** The preferred compiler; null if C cannot be compiled here. */
export const toolchain = found[0] ?? null;

/** Why compiled kernels cannot run here; null if they can. Printed once. */
export const skipReason = toolchain ? lackOf(targets.avx2) : "no C compiler";
if (skipReason) console.log(`skipped: tests of compiled kernels: ${skipReason}`);

/** All compilers whose kernels can run here. */
export const toolchains: readonly Toolchain[] = skipReason ? [] : found;

/**
 * Registers a skipped test where the compiled part of a test cannot run: the test itself goes on with the parts that need no
 * compiler, and the report would otherwise not show what is missing.
 *
 * @param reason null: the part runs
 */
export function noteSkipped(title: string, reason: string | null = skipReason): void {
  if (reason !== null) test.skip(`${title} (${reason})`, () => undefined);
}

/** Compiler, and functions that use it, for the tests of `eachCompiler`. */
export interface TestCompiler {
  readonly toolchain: Toolchain;
  readonly compileAll: typeof compileAll;
  readonly compileFunctions: typeof compileFunctions;
}

/**
 * Makes a `describe` for each compiler. A compiler that is not here is skipped with the reason in the name, and so are
 * all if this CPU does not run the target (default: AVX2).
 */
export function eachCompiler(what: string | NativeTarget, body: (compiler: TestCompiler) => void): void {
  const { title, target } = typeof what === "string" ? { title: what, target: targets.avx2 } : what;
  const lacking = lackOf(target);
  for (const family of compilerFamilies) {
    const own = toolchains.find((toolchain) => toolchain.family === family);
    if (own && lacking === null) describe(`${title}, ${family}`, () => body(withToolchain(own)));
    else
      describe.skip(`${title}, ${family}`, () =>
        test.skip(`(${lacking ?? `no ${family} here, or not asked for`})`, () => undefined));
  }
}

const withToolchain = (toolchain: Toolchain): TestCompiler => ({
  toolchain,
  compileAll: (sources, options) => compileAll(sources, { toolchain, ...options }),
  compileFunctions: (functions, target, numerics) => compileFunctions(functions, target, numerics, toolchain),
});

/** 64-byte vectors, and all that goes with them, on a machine with AVX2 only. */
export const wideAvx2: CpuTarget = { ...targets.avx2, vectorBytes: 64 };

/** A target that C is run on, with a title. */
export interface NativeTarget {
  readonly title: string;
  readonly target: CpuTarget;
}

export const nativeTargets: readonly NativeTarget[] = [
  { title: "avx2", target: targets.avx2 },
  { title: "64-byte vectors on AVX2", target: wideAvx2 },
  { title: "avx512", target: targets.avx512 },
];

/** A directory that is gone when `use` has ended. */
export async function inTempDir<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-test-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Tests build many kernels at once, on machines that do other things meanwhile. */
const timeoutMs = 600_000;

/** Builds and loads; throws the compiler's words if they are not C. */
export async function compileAll(
  sources: readonly CSource[],
  options: Partial<AddonOptions> = {},
): Promise<NativeKernels> {
  return inTempDir(async (outDir) => {
    const artifact = await buildNative(sources, { outDir, toolchain: toolchain!, timeoutMs, ...options });
    if (artifact.kind === "build-failed") throw new Error(artifact.reason);
    const loaded = loadNative(artifact.path, { features: sources[0]!.features });
    if (loaded.kind === "unavailable") throw new Error(loaded.reason);
    return loaded.kernels;
  });
}

/** Many functions in one addon; each with its arrays is run by the function that comes back. */
export async function compileFunctions(
  functions: readonly LoopFunc[],
  target: CpuTarget = targets.avx2,
  numerics: Numerics = "strict",
  own: Toolchain = toolchain!,
): Promise<(index: number, ...arrays: readonly TypedArray[]) => void> {
  const sources = functions.map((func) => generateC(func, target, { numerics }));
  const kernels = await compileAll(sources, { toolchain: own });
  return (index, ...arrays) => kernels.call(index, ...arrays);
}
