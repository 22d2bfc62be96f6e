// Runs flat functions as C on this machine, for tests; where that is impossible it says why they are skipped.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CSource,
  generateC,
  type Numerics,
  type Target,
  type TypedArray,
  targets,
} from "../../src/compiler/index.ts";
import type { LoopFunc } from "../../src/compiler/ir/loop-ir.ts";
import { type BuildOptions, buildNative } from "../../src/native/build.ts";
import { loadNative, type NativeKernels } from "../../src/native/load/load-native.ts";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { detectMachine, missingFeatures } from "../../src/native/toolchain/machine.ts";

const [found] = await detectToolchains();

/** Null if C cannot be compiled here. */
export const toolchain = found ?? null;

const missing = missingFeatures(targets.avx2, detectMachine());

/** Why compiled kernels cannot run here; null if they can. Printed once. */
export const skipReason = toolchain
  ? missing.length > 0
    ? `this CPU lacks ${missing.join(", ")}`
    : null
  : "no C compiler";
if (skipReason) console.log(`skipped: tests of compiled kernels: ${skipReason}`);

/** 64-byte vectors, and all that goes with them, on a machine with AVX2 only. */
export const wideAvx2: Target = { ...targets.avx2, vectorBytes: 64 };

/** A directory that is gone when `use` has ended. */
export async function inTempDir<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-test-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds and loads; throws the compiler's words if they are not C. */
export async function compileAll(
  sources: readonly CSource[],
  options: Partial<BuildOptions> = {},
): Promise<NativeKernels> {
  return inTempDir(async (outDir) => {
    const artifact = await buildNative(sources, { outDir, toolchain: toolchain!, ...options });
    if (artifact.kind === "build-failed") throw new Error(artifact.reason);
    const loaded = loadNative(artifact.path, { features: sources[0]!.features });
    if (loaded.kind === "unavailable") throw new Error(loaded.reason);
    return loaded.kernels;
  });
}

/** Many functions in one addon; each with its arrays is run by the function that comes back. */
export async function compileFunctions(
  functions: readonly LoopFunc[],
  target: Target = targets.avx2,
  numerics: Numerics = "strict",
): Promise<(index: number, ...arrays: readonly TypedArray[]) => void> {
  const kernels = await compileAll(functions.map((func) => generateC(func, target, { numerics })));
  return (index, ...arrays) => kernels.call(index, ...arrays);
}
